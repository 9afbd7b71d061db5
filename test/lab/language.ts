/** Names that only this project would understand, and the terms that replaced them. */
export const bannedNames: Readonly<Record<string, string>> = {
  Stage: 'LiveView',
  stagePartsOf: 'liveViewDeps',
  Cast: 'Screencast',
  Film: 'VideoRecorder',
  Spool: 'TempFile',
  Shelf: 'SessionFiles',
  Shelves: 'SessionFileStore',
  Lane: 'ProxyEndpoint or PoolWorker',
  Place: 'a name of its kind: locale, location, position',
  place: 'a name of its kind: locale, location, position',
  alongside: 'saveRows',
  minds: 'assertNotThrottled',
  insist: 'withRetries',
  twin: 'findByIdempotencyKey',
  findTwin: 'findByIdempotencyKey',
  Announcer: 'JobWebhooks',
  bell: 'notify',
  bury: 'failExhausted',
  burialMs: 'exhaustedCheckMs',
  deathsForgiven: 'maxCrashes',
  patienceSeconds: 'retentionSeconds',
  patience: 'timeout',
  BulkPart: 'JobTurn',
  BulkRound: 'Submission',
  shareOut: 'shard',
  isWhole: 'isSingleWorker',
  isTended: 'hasWorker',
  Expedition: 'MapContext',
  Ticket: 'DeletionRequest',
  Outbox: 'ResultQueue',
  Intake: 'InputQueue',
  Tally: 'Progress',
  Meter: 'CostMeter',
  judgeSilence: 'isPeerTimedOut',
  comeBack: 'reRegister',
  means: 'deps',
  ground: 'deps',
  misfit: 'validationMessage',
  shapeless: 'ignoredForCacheKey',
  harmless: 'stripControlChars',
  settlePast: 'endLeftoverSessions',
  announce: 'writeServerFile',
  throwIfCut: 'rethrowAbort',
  assertWelcome: 'assertNotThrottled',
  createTrouble: 'createFailureSignal',
  HostManners: 'HostLimits',
  HostGates: 'HostThrottle',
  farewell: 'cleanup',
  condemn: 'discard',
  lendPort: 'exportListener',
  borrowPort: 'importListener',
  keepingSettings: 'retentionSettings',
  tellingSettings: 'notificationSettings',
  Maker: 'Owner',
  seal: 'encryptStream',
  onMayDiffer: 'onTitleOrUrlChange',
  noteDifference: 'onTitleOrUrlChange',
  manners: 'limits',
  theatre: 'liveViewFixture',
  scene: 'page',
  world: 'fixture',
  World: 'Fixture',
}

/** A finding of the language rules. */
export interface Finding {
  readonly line: number
  readonly text: string
}

/** Banned identifiers: those of the table, `*Parts` for dependencies and `earlier*` for API v1. */
export function findBannedNames(source: string): readonly Finding[] {
  return withoutText(source)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/[A-Za-z_$][\w$]*/g)]
        .map(([name]) => name)
        .filter((name) => Object.hasOwn(bannedNames, name) || /^earlier[A-Z]|[a-z]Parts$/.test(name))
        .map((name) => ({ line: index + 1, text: name })),
    )
}

/** Doc comments that begin with "What", and their lines of more than 100 columns. */
export function findDocFlaws(source: string): readonly Finding[] {
  return [...source.matchAll(/(?<=^[ \t]*)\/\*\*(?!\/)[\s\S]*?\*\//gm)].flatMap(({ 0: comment, index }) => {
    const startOfLine = source.lastIndexOf('\n', index) + 1
    const line = source.slice(0, index).split('\n').length
    const long = source
      .slice(startOfLine, index + comment.length)
      .split('\n')
      .map((text, offset) => ({ line: line + offset, text }))
      .filter(({ text }) => text.length > 100)
    const begin = /^\/\*\*[\s*]*What\b/.test(comment) ? [{ line, text: comment.slice(0, 80) }] : []
    return begin.concat(long)
  })
}

/** The program without comments and string literals, with the same line numbers. */
function withoutText(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, (text) =>
    text.replaceAll(/[^\n]/g, ' '),
  )
}
