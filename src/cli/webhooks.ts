import { Command, InvalidArgumentError, Option } from 'commander'
import type { Delivery, DeliveryStatus } from '../contract/webhooks.ts'
import { createClient, withConnectionFlags, type ConnectionFlags } from './connection.ts'
import type { TableColumn } from '../terminal/fit-table.ts'
import { print, printFacts, printJson, printNote, printTable } from '../terminal/print.ts'

/** Creates the command `bowline webhooks`. */
export function createWebhooksCommand(): Command {
  const command = new Command('webhooks')
  const add = (name: string, description: string): Command =>
    withConnectionFlags(command.command(name).description(description))
  add('list', 'list webhook deliveries, newest first')
    .option('--job <id>', 'only deliveries of this job or check')
    .addOption(
      new Option('--status <status>', 'only deliveries with this status').choices(['pending', 'delivered', 'failed']),
    )
    .option(
      '--search <text>',
      'only deliveries whose id or job starts with this text, or whose URL or event contain it',
    )
    .option('--from <time>', 'only deliveries created at this time or later, as ISO 8601')
    .option('--to <time>', 'only deliveries created before this time, as ISO 8601')
    .option('--limit <count>', 'maximum number of deliveries', toCount, 50)
    .action(listDeliveries)
  add('show', 'show a delivery with its attempts and body').argument('<id>', 'id of the delivery').action(show)
  add('redeliver', 'send a delivery again').argument('<id>', 'id of the delivery').action(redeliver)
  add('secret', 'create a new secret that signs deliveries and print it; it is shown only once')
    .option('--delete', 'delete the secret instead')
    .action(secret)
  return command
}

interface ListFlags extends ConnectionFlags {
  readonly job?: string
  readonly status?: DeliveryStatus
  readonly search?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

function toCount(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It must be a whole number, 1 or more.')
}

async function listDeliveries({ job: jobId, status, search, from, to, limit, ...flags }: ListFlags): Promise<void> {
  const bowline = await createClient(flags)
  const found: Delivery[] = []
  for await (const delivery of bowline.webhooks.deliveries({
    jobId,
    status,
    search,
    from,
    to,
    limit: Math.min(limit, 100),
  })) {
    found.push(delivery)
    if (found.length === limit) break
  }
  if (flags.json === true) return printJson(found)
  printTable(columns, found.map(toRow))
}

const columns: readonly TableColumn[] = [
  { name: 'id' },
  { name: 'event', shorten: 'end', dropOrder: 5 },
  { name: 'job', dropOrder: 2 },
  { name: 'status' },
  { name: 'attempts', dropOrder: 1 },
  { name: 'last attempt', shorten: 'end', dropOrder: 4 },
  { name: 'url', shorten: 'middle', dropOrder: 3 },
]

function toRow({ id, event, jobId, status, attempts, url }: Delivery): readonly string[] {
  const last = attempts.at(-1)
  return [id, event, jobId, status, String(attempts.length), last?.error ?? String(last?.statusCode ?? ''), url]
}

function printDelivery(delivery: Delivery, flags: ConnectionFlags): void {
  if (flags.json === true) return printJson(delivery)
  const { attempts, payload, ...facts } = delivery
  printFacts(facts)
  for (const { at, statusCode, error, durationMs } of attempts) {
    print(`${at}  ${error ?? String(statusCode)}  ${durationMs} ms`)
  }
  if (payload !== undefined) printJson(payload)
}

async function show(id: string, flags: ConnectionFlags): Promise<void> {
  printDelivery(await (await createClient(flags)).webhooks.get(id), flags)
}

async function redeliver(id: string, flags: ConnectionFlags): Promise<void> {
  printDelivery(await (await createClient(flags)).webhooks.redeliver(id), flags)
}

async function secret(flags: ConnectionFlags & { readonly delete?: boolean }): Promise<void> {
  const { webhooks } = await createClient(flags)
  if (flags.delete === true) {
    await webhooks.deleteSecret()
    return flags.json === true ? printJson({ deleted: true }) : print('deliveries are no longer signed')
  }
  const created = await webhooks.makeSecret()
  if (flags.json === true) return printJson({ secret: created })
  print(created)
  printNote('It is not shown again. Deliveries have X-Firecrawl-Signature: sha256=HMAC-SHA256(secret, body).')
}
