// A program: compiles block lists, given as texts, into the form that is quick to load.
import { parentPort, workerData } from 'node:worker_threads'
import { FiltersEngine } from '@ghostery/adblocker'

const lists = workerData as readonly string[]
parentPort?.postMessage(FiltersEngine.parse(lists.join('\n'), { loadCosmeticFilters: false }).serialize())
