import { useState } from 'preact/hooks'
import type { ExecuteLanguage, ExecuteResponse } from 'bowline/contract/execute'
import { useAction } from '../frame/use-action.ts'
import { executeCode } from './session-calls.ts'

/** Code that ran, and its outcome. */
interface ConsoleEntry {
  readonly number: number
  readonly code: string
  readonly outcome: ExecuteResponse
}

const examples: Readonly<Record<ExecuteLanguage, string>> = {
  node: 'await page.title()',
  python: 'await page.title()',
  bash: 'ls /browser/downloads',
}

const languageNames: Readonly<Record<ExecuteLanguage, string>> = { node: 'Node.js', python: 'Python', bash: 'bash' }

/** Number of outcomes that stay on the page. */
const maxEntries = 20

/** Runs code beside the browser of a session. */
export function SessionConsole({ id }: { readonly id: string }) {
  const [language, setLanguage] = useState<ExecuteLanguage>('node')
  const [code, setCode] = useState('')
  const [entries, setEntries] = useState<readonly ConsoleEntry[]>([])
  const execute = useAction(async (api, given: string) => {
    const outcome = await executeCode(api, id, { code: given, language })
    setEntries((earlier) => [
      { number: (earlier[0]?.number ?? 0) + 1, code: given, outcome },
      ...earlier.slice(0, maxEntries - 1),
    ])
  })
  const run = (): void => {
    if (code.trim() !== '' && !execute.isRunning) void execute.run(code)
  }
  return (
    <section class="block console">
      <h2>Run code</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
      >
        <div class="field">
          <textarea
            aria-label="Code"
            rows={4}
            spellcheck={false}
            placeholder={examples[language]}
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
            }}
          />
        </div>
        <div class="row">
          <select
            aria-label="Language"
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value as ExecuteLanguage)}
          >
            {Object.entries(languageNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
          <button type="submit" class="button" disabled={execute.isRunning} title="Ctrl+Enter">
            {execute.isRunning ? 'Running' : 'Run'}
          </button>
        </div>
      </form>
      {entries.map((entry) => (
        <ConsoleOutcome key={entry.number} entry={entry} />
      ))}
    </section>
  )
}

function ConsoleOutcome({ entry: { code, outcome } }: { readonly entry: ConsoleEntry }) {
  const { stdout, stderr, result, error, exitCode, truncated } = outcome
  const value = result === stdout ? '' : result
  const texts = [stdout, stderr, error?.includes(stderr.trimEnd()) === true && stderr !== '' ? '' : error, value]
  return (
    <article aria-label={`Exit code ${exitCode}`}>
      <p class="faint">
        <code>{code}</code> exit code {exitCode}
        {truncated === true && ', output was cut'}
      </p>
      <pre class="output">{texts.filter((text) => text !== undefined && text !== '').join('\n')}</pre>
    </article>
  )
}
