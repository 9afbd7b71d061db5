import { z } from 'zod'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { JsonText } from './columns.ts'
import { toRow, type Row } from './row.ts'

/** Called with the error of each row that a list leaves out, because a column cannot be read. */
export type OnUnreadable = (error: BowlineError) => void

/**
 * The JSON columns of a table. Each value is parsed by a schema when it is read, so that a row of
 * an earlier version, or one that was changed by hand, is read correctly or fails where it is
 * read. The schema must accept what earlier versions have written.
 */
export class JsonTable<Columns extends JsonColumns> {
  readonly #table: string
  readonly #columns: Columns
  readonly #key: readonly string[]

  /** `table` is its name in SQL. `key` are the columns that errors identify a row by. */
  constructor(table: string, columns: Columns, key: readonly string[] = ['id']) {
    this.#table = table
    this.#columns = columns
    this.#key = key
  }

  /** Parses the JSON columns of a row. Throws STORED_VALUE_INVALID with table, column and row. */
  read<Fields extends object>(fields: Fields): JsonRow<Fields, Columns> {
    const row: Record<string, unknown> = { ...toRow(fields) }
    for (const name of Object.keys(this.#columns)) {
      if (row[name] !== undefined) row[name] = this.parse(name, row[name] as string, fields)
    }
    return row as JsonRow<Fields, Columns>
  }

  /** Reads rows for a list, which leaves out those that cannot be read. */
  readAll<Fields extends object>(
    rows: readonly Fields[],
    onUnreadable: OnUnreadable,
  ): readonly JsonRow<Fields, Columns>[] {
    return rows.flatMap((row) => {
      try {
        return [this.read(row)]
      } catch (error) {
        if (!isUnreadable(error)) throw error
        onUnreadable(error)
        return []
      }
    })
  }

  /** Parses the JSON text of a column. Throws STORED_VALUE_INVALID with table, column and row. */
  parse<Name extends keyof Columns & string>(name: Name, text: string, row: object): ValueOf<Columns[Name]> {
    try {
      return this.#columns[name]?.schema.parse(JSON.parse(text)) as ValueOf<Columns[Name]>
    } catch (cause) {
      const key = this.#key.map((column) => String(row[column as keyof typeof row])).join(' ')
      throw new BowlineError(
        'STORED_VALUE_INVALID',
        `Column ${inSql(name)} of row ${key} in table ${this.#table} cannot be read: ${reasonOf(cause)}`,
        { cause },
      )
    }
  }

  /**
   * Serializes the JSON columns of a row, or of a part of it. `undefined` stays, and `null` is
   * SQL's null, except where the schema of the column accepts null.
   */
  write<Fields extends object>(fields: Fields & Partial<JsonValues<Columns>>): WrittenRow<Fields, Columns> {
    const row: Record<string, unknown> = { ...fields }
    for (const [name, { acceptsNull }] of Object.entries(this.#columns)) {
      const value = row[name]
      const isText = value !== undefined && (value !== null || acceptsNull)
      if (isText) row[name] = this.serialize(name, value as ValueOf<Columns[string]>)
    }
    return row as WrittenRow<Fields, Columns>
  }

  /** Serializes the value of a column. */
  serialize<Name extends keyof Columns & string>(name: Name, value: ValueOf<Columns[Name]>): JsonText {
    const text = JSON.stringify(value)
    const { type, isQueried } = this.#columns[name] ?? {}
    return (type === 'jsonb' || isQueried === true ? storable(text) : text) as JsonText
  }
}

/**
 * Returns a row that is being read, or `undefined` if one of its JSON columns cannot be read.
 * Rejects with other errors.
 */
export async function orUndefined<Row>(reading: Promise<Row>, onUnreadable: OnUnreadable): Promise<Row | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isUnreadable(error)) throw error
    onUnreadable(error)
    return undefined
  }
}

/** Whether an error is that of a row whose JSON cannot be read, so that a retry is pointless. */
export function isUnreadable(error: unknown): error is BowlineError {
  return isBowlineError(error) && error.code === 'STORED_VALUE_INVALID'
}

/** A JSON column with the schema of its values. */
export interface JsonColumn<Value = unknown> {
  readonly type: 'json' | 'jsonb'
  readonly schema: z.ZodType<Value>
  readonly acceptsNull: boolean
  /** Whether SQL reads parts of the value. Default: false. */
  readonly isQueried?: boolean | undefined
}

export type JsonColumns = Readonly<Record<string, JsonColumn>>

/**
 * A column of type `json`, or of type `text` with JSON. Stores the text as it is: with the order of
 * keys that callers and pages chose, and with any character.
 */
export function json<Value>(schema: z.ZodType<Value>): JsonColumn<Value> {
  return { type: 'json', schema, acceptsNull: schema.safeParse(null).success }
}

/**
 * A column of type `json` of which SQL reads parts. SQL cannot read values with U+0000 or half
 * surrogate pairs, so they are replaced by U+FFFD.
 */
export function queriedJson<Value>(schema: z.ZodType<Value>): JsonColumn<Value> {
  return { ...json(schema), isQueried: true }
}

/**
 * A column of type `jsonb`, for values whose keys this server defines: the order of keys is lost.
 * jsonb cannot store U+0000 and half surrogate pairs, so they are replaced by U+FFFD.
 */
export function jsonb<Value>(schema: z.ZodType<Value>): JsonColumn<Value> {
  return { ...json(schema), type: 'jsonb' }
}

type ValueOf<Column> = Column extends JsonColumn<infer Value> ? Value : never

type JsonValues<Columns> = { readonly [Name in keyof Columns]: ValueOf<Columns[Name]> | null | undefined }

/** A row with its JSON columns parsed, and `undefined` instead of `null`. */
export type JsonRow<Fields, Columns> = {
  readonly [Name in keyof Fields]: Name extends keyof Columns
    ? ValueOf<Columns[Name]> | (null extends Fields[Name] ? undefined : never)
    : Row<Fields>[Name]
}

/** The fields of an insert or update, with values instead of the text of their JSON columns. */
export type JsonFields<Fields, Columns> = {
  readonly [Name in keyof Fields]: Name extends keyof Columns
    ? ValueOf<Columns[Name]> | Extract<Fields[Name], null | undefined>
    : Fields[Name]
}

type WrittenRow<Fields, Columns> = {
  readonly [Name in keyof Fields]: Name extends keyof Columns
    ? JsonText | Extract<Fields[Name], null | undefined>
    : Fields[Name]
}

/** Escapes of U+0000 and of half surrogate pairs in JSON text. Whole pairs are never escaped. */
const unstorable = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

function storable(text: string): string {
  return text.replaceAll(unstorable, String.raw`$1\ufffd`)
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof z.ZodError)) return 'it is not JSON'
  const [issue] = cause.issues
  return [issue?.path.join('.') ?? '', issue?.message ?? ''].filter((part) => part !== '').join(': ')
}

function inSql(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
