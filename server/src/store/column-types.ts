import { types } from 'pg'

/** Type OIDs. */
const [int8, json, jsonb] = [20, 114, 3802]

/** Parses `bigint` as number. No count or balance exceeds 2^53. */
const getTypeParser = ((oid, format) =>
  (oid as number) === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser

const getColumnParser = ((oid, format) =>
  (oid as number) === json || (oid as number) === jsonb
    ? String
    : getTypeParser(oid, format)) as typeof types.getTypeParser

/** Parses the results of libraries with their own SQL. */
export const valueTypes = { getTypeParser }

/** Keeps JSON columns of the server's own tables as text, which `JsonTable` parses. */
export const columnTypes = { getTypeParser: getColumnParser }
