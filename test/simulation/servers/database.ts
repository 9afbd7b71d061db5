import { createRequire } from 'node:module'
import { PGlite, protocol } from '@electric-sql/pglite'
import type { Kysely, PostgresPool, PostgresPoolClient } from 'kysely'
import { types } from 'pg'
import { createQueryBuilder } from '../../../server/src/store/create-query-builder.ts'
import { migrate } from '../../../server/src/store/migrate.ts'
import type { Database } from '../../../server/src/store/schema.ts'
import { storeUnavailable } from '../../../server/src/store/unavailable.ts'
import type { Random } from '../../lab/random.ts'
import type { Owner } from '../virtual-time.ts'

const { Parser, serialize } = protocol

/** Nothing is stored, so nothing is logged. */
const settings = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/** Result of a statement, as `pg` returns it. */
interface Result {
  readonly command: string
  readonly rowCount: number
  readonly rows: Record<string, unknown>[]
}

interface Statement {
  readonly name: string
  columns: readonly { readonly name: string; readonly dataTypeID: number }[]
}

const { prepareValue } = createRequire(import.meta.url)('pg/lib/utils') as {
  prepareValue: (value: unknown) => string | null
}

/** `bigint` as numbers and JSON as text, as the stores of the server have them. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = { 20: Number, 114: String, 3802: String }

/**
 * PostgreSQL with the schema of the server, in this process and in memory. Statements run at once
 * and without promises, so that the simulation decides their order. `now()` is virtual.
 */
export class SimulatedDatabase {
  readonly #lite: PGlite
  readonly #statements = new Map<string, Statement>()
  #clockMs = -1
  /** Number of statements so far. */
  statements = 0

  private constructor(lite: PGlite) {
    this.#lite = lite
  }

  static async open(): Promise<SimulatedDatabase> {
    const lite = await PGlite.create({
      startParams: [
        ...PGlite.defaultStartParams,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
    })
    await migrate(createQueryBuilder(poolOf(lite)))
    await lite.exec(`
      create schema simulation;
      create function simulation.now() returns timestamptz language sql stable
        as $$ select current_setting('simulation.now')::timestamptz $$;
      create function simulation.clock_timestamp() returns timestamptz language sql stable
        as $$ select simulation.now() $$;
      set timezone = 'UTC';
      set search_path = simulation, public, pg_catalog;`)
    return new SimulatedDatabase(lite)
  }

  /** Runs a statement at the virtual time. */
  query(text: string, values: readonly unknown[] = []): Result {
    const nowMs = Date.now()
    if (nowMs !== this.#clockMs) {
      this.#clockMs = nowMs
      this.#execute(`set simulation.now = '${new Date(nowMs).toISOString()}'`, [])
    }
    this.statements += 1
    return this.#execute(text, values)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lite.close()
  }

  #execute(text: string, values: readonly unknown[]): Result {
    const statement = this.#statements.get(text) ?? this.#prepare(text)
    const rows: Record<string, unknown>[] = []
    let command = ''
    const messages = this.#send(
      serialize.bind({ statement: statement.name, values: values.map(prepareValue) }),
      serialize.execute({}),
      serialize.sync(),
    )
    for (const message of messages) {
      if (isMessage<{ text: string }>(message, 'commandComplete')) command = message.text
      if (isMessage<{ fields: (string | null)[] }>(message, 'dataRow'))
        rows.push(rowOf(statement.columns, message.fields))
    }
    const [verb = '', ...counts] = command.split(' ')
    return { command: verb, rowCount: Number(counts.at(-1) ?? 0), rows }
  }

  #prepare(text: string): Statement {
    const statement: Statement = { name: `s${this.#statements.size}`, columns: [] }
    const messages = this.#send(
      serialize.parse({ name: statement.name, text }),
      serialize.describe({ type: 'S', name: statement.name }),
      serialize.sync(),
    )
    for (const message of messages)
      if (isMessage<{ fields: Statement['columns'] }>(message, 'rowDescription')) statement.columns = message.fields
    this.#statements.set(text, statement)
    return statement
  }

  #send(...parts: readonly Uint8Array[]): readonly Message[] {
    const messages: Message[] = []
    const answer = this.#lite.execProtocolRawSync(Buffer.concat(parts))
    new Parser().parse(answer, (message) => void messages.push(message))
    const error = messages.find(({ name }) => name === 'error')
    if (error !== undefined) throw error as unknown as Error
    return messages
  }
}

interface Message {
  readonly name: string
}

function isMessage<Fields extends object>(message: Message, name: string): message is Message & Fields {
  return message.name === name
}

function rowOf(columns: Statement['columns'], fields: readonly (string | null)[]): Record<string, unknown> {
  return Object.fromEntries(
    columns.map(({ name, dataTypeID }, index) => [name, parse(dataTypeID, fields[index] ?? null)]),
  )
}

/** A pool for the migrations, before the clocks are replaced. */
function poolOf(lite: PGlite): PostgresPool {
  const query = async (text: string, values: readonly unknown[] = []): Promise<unknown> => {
    const { rows, affectedRows: rowCount } = await lite.query(text, [...values])
    return { command: text.trim().split(' ')[0]?.toUpperCase(), rowCount, rows }
  }
  const client = { processID: 1, query: query as PostgresPoolClient['query'], release: () => undefined }
  return { connect: async () => client, end: async () => undefined, options: {} }
}

function parse(type: number, text: string | null): unknown {
  if (text === null) return null
  return (parsers[type] ?? (types.getTypeParser as (type: number) => (text: string) => unknown)(type))(text)
}

/** Connection of a simulated server: its statements can fail, and their responses can be lost. */
export interface Connection extends Owner {
  readonly db: Kysely<Database>
  /** Whether the database is out of reach. */
  isCut: boolean
}

interface Turn {
  readonly owner: Owner
  readonly grant: () => void
}

/**
 * One connection to the database that servers take in turns. Whenever several wait, a random one is
 * next. A server has it for a statement or a transaction.
 */
export class SharedConnection {
  readonly #database: SimulatedDatabase
  readonly #random: Random
  #waiting: Turn[] = []
  #holder: Owner | undefined
  #isInTransaction = false

  constructor(database: SimulatedDatabase, random: Random) {
    this.#database = database
    this.#random = random
  }

  /** Gives the connection to the next server. Returns whether one was waiting. */
  next(): boolean {
    if (this.#holder !== undefined && this.#holder.state === 'dead') this.#release()
    this.#waiting = this.#waiting.filter(({ owner }) => owner.state !== 'dead')
    // A paused server keeps the connection, and the database gives up on it.
    if (this.#holder !== undefined && this.#holder.state === 'paused') this.#release()
    const ready = this.#waiting.filter(({ owner }) => owner.state === 'running')
    if (this.#holder !== undefined || ready.length === 0) return false
    const turn = this.#random.pick(ready)
    this.#waiting = this.#waiting.filter((each) => each !== turn)
    this.#holder = turn.owner
    turn.grant()
    return true
  }

  /** Connects a server. */
  connect(): Connection {
    const pool: PostgresPool = {
      connect: async () => this.#acquire(connection),
      end: async () => undefined,
      options: {},
    }
    const connection: Connection = { state: 'running', isCut: false, db: createQueryBuilder(pool) }
    return connection
  }

  async #acquire(owner: Connection): Promise<PostgresPoolClient> {
    if (owner.isCut) throw storeUnavailable(new Error('cut'))
    await new Promise<void>((grant) => this.#waiting.push({ owner, grant }))
    let isLost = false
    const query = async (text: string, values: readonly unknown[] = []): Promise<Result> => {
      // A dead or paused server has lost its turn.
      if (this.#holder !== owner) isLost = true
      if (owner.isCut) isLost = true
      if (isLost) throw storeUnavailable(new Error('lost'))
      const result = this.#database.query(text, values)
      if (text === 'begin') this.#isInTransaction = true
      if (text === 'commit' || text === 'rollback') this.#isInTransaction = false
      // The response to a commit may be lost.
      if (text === 'commit' && this.#random.whole(1, 200) === 1) {
        isLost = true
        throw storeUnavailable(new Error('the response was lost'))
      }
      return result
    }
    return {
      processID: 1,
      query: query as unknown as PostgresPoolClient['query'],
      release: () => {
        if (this.#holder === owner) this.#release()
      },
    }
  }

  #release(): void {
    this.#holder = undefined
    if (this.#isInTransaction) this.#database.query('rollback')
    this.#isInTransaction = false
  }
}
