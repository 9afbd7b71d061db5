/**
 * Encodes values that JSON cannot represent in Playwright's format. Throws for values without one.
 */
const codec = `
  const arrayKinds = { i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array,
    i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array }
  const toBase64 = (bytes) => {
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    return btoa(text)
  }
  const fromBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const isRecord = (value) => typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
  const isPlain = (value) => {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
    if (Array.isArray(value)) return value.every(isPlain)
    return isRecord(value) && Object.values(value).every(isPlain)
  }
  const encode = (value, ids = { last: 0 }) => {
    if (value === undefined) return { v: 'undefined' }
    if (value === null) return { v: 'null' }
    if (typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number') return isPlain(value) ? value : { v: Object.is(value, -0) ? '-0' : String(value) }
    if (typeof value === 'bigint') return { bi: value.toString() }
    if (value instanceof Date) return { d: value.toJSON() }
    if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } }
    if (value instanceof ArrayBuffer) return { ab: { b: toBase64(new Uint8Array(value)) } }
    const kind = Object.keys(arrayKinds).find((each) => value instanceof arrayKinds[each])
    if (kind !== undefined) {
      return { ta: { b: toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)), k: kind } }
    }
    if (Array.isArray(value)) return { a: value.map((each) => encode(each, ids)), id: ++ids.last }
    if (!isRecord(value)) throw new Error('cannot be encoded')
    return { o: Object.entries(value).map(([k, each]) => ({ k, v: encode(each, ids) })), id: ++ids.last }
  }
  const specials = { undefined, null: null, NaN, Infinity, '-Infinity': -Infinity, '-0': -0 }
  const decode = (value) => {
    if (typeof value !== 'object' || value === null) return value
    if ('v' in value) return specials[value.v]
    if ('bi' in value) return BigInt(value.bi)
    if ('d' in value) return new Date(value.d)
    if ('r' in value) return new RegExp(value.r.p, value.r.f)
    if ('ab' in value) return fromBase64(value.ab.b).buffer
    if ('ta' in value) return new arrayKinds[value.ta.k](fromBase64(value.ta.b).buffer)
    if ('a' in value) return value.a.map(decode)
    return Object.fromEntries(value.o.map(({ k, v }) => [k, decode(v)]))
  }
  const settle = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })`

/**
 * Reads every IndexedDB database of its origin. Records whose values cannot be encoded, such as
 * files, are left out.
 */
export const readDatabases = `async () => {${codec}
  const put = (field, value) => (isPlain(value) ? { [field]: value } : { [field + 'Encoded']: encode(value) })
  const pathOf = (keyPath) => (keyPath === null ? {} : Array.isArray(keyPath) ? { keyPathArray: keyPath } : { keyPath })
  const readStore = async (database, name) => {
    const store = database.transaction(name).objectStore(name)
    const [keys, values] = await Promise.all([settle(store.getAllKeys()), settle(store.getAll())])
    const records = keys.flatMap((key, index) => {
      try {
        return [{ ...(store.keyPath === null ? put('key', key) : {}), ...put('value', values[index]) }]
      } catch {
        // The value cannot be encoded.
        return []
      }
    })
    const indexes = [...store.indexNames].map((each) => {
      const { name, keyPath, multiEntry, unique } = store.index(each)
      return { name, ...pathOf(keyPath), multiEntry, unique }
    })
    return { name, ...pathOf(store.keyPath), autoIncrement: store.autoIncrement, indexes, records }
  }
  const found = []
  for (const { name } of await indexedDB.databases()) {
    const database = await settle(indexedDB.open(name))
    const stores = await Promise.all([...database.objectStoreNames].map((each) => readStore(database, each)))
    found.push({ name, version: database.version, stores })
    database.close()
  }
  return found
}`

/** Writes localStorage items and IndexedDB databases to its origin. */
export const writeStorage = `async ({ localStorage: items, indexedDB: databases = [] }) => {${codec}
  for (const { name, value } of items) localStorage.setItem(name, value)
  for (const { name, version, stores } of databases) {
    const opening = indexedDB.open(name, version)
    opening.onupgradeneeded = () => {
      for (const { name, keyPath, keyPathArray, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(name, { keyPath: keyPathArray ?? keyPath ?? null, autoIncrement })
        for (const { name, keyPath, keyPathArray, multiEntry, unique } of indexes) {
          store.createIndex(name, keyPathArray ?? keyPath, { multiEntry, unique })
        }
      }
    }
    const database = await settle(opening)
    for (const { name, keyPath, keyPathArray, records } of stores) {
      const transaction = database.transaction(name, 'readwrite')
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = resolve
        transaction.onabort = () => reject(transaction.error)
      })
      const hasOwnKeys = (keyPath ?? keyPathArray) !== undefined
      for (const { key, keyEncoded, value, valueEncoded } of records) {
        const content = valueEncoded === undefined ? value : decode(valueEncoded)
        const outOfLineKey = keyEncoded === undefined ? key : decode(keyEncoded)
        transaction.objectStore(name).put(content, ...(hasOwnKeys ? [] : [outOfLineKey]))
      }
      await done
    }
    database.close()
  }
}`
