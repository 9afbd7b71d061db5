// Program of a worker thread: compiles block lists into the binary form that loads quickly.
import { parentPort, workerData } from 'node:worker_threads'
import { FiltersEngine } from '@ghostery/adblocker'

const lists = workerData as readonly string[]
parentPort?.postMessage(FiltersEngine.parse(lists.join('\n'), { loadCosmeticFilters: false }).serialize())
