import { sql, type Kysely } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from './schema.ts'
import { availableCredits } from './teams.ts'

/** A charge that is paid in full before the work starts. */
export interface Charge {
  readonly teamId: string
  readonly apiKeyId: string
  /** Kind of work, such as `map`. */
  readonly kind: string
  /** Id of the work. There is at most one charge per kind and subject. */
  readonly subjectId: string
  readonly credits: number
}

/** Result of a charge. `available` is the team's remaining balance. */
export type ChargeOutcome =
  | { readonly outcome: 'charged' }
  | { readonly outcome: 'insufficient-credits'; readonly available: number }

/**
 * Debits a team and inserts the bill in one statement, so that concurrent charges cannot overspend.
 */
export async function chargeUpfront(db: Kysely<Database>, charge: Charge): Promise<ChargeOutcome> {
  const { teamId, apiKeyId, kind, subjectId, credits } = charge
  const row = await db
    .with('paid', (query) =>
      query
        .updateTable('team')
        .set((eb) => ({ credits: eb('credits', '-', credits) }))
        .where('id', '=', teamId)
        .where((eb) =>
          eb.or([eb('credits', 'is', null), eb(eb('credits', '-', eb.ref('reservedCredits')), '>=', credits)]),
        )
        .returning('id'),
    )
    .with('billed', (query) =>
      query
        .insertInto('ledger')
        .columns(['id', 'teamId', 'apiKeyId', 'kind', 'subjectId', 'credits', 'createdAt'])
        .expression((eb) =>
          eb
            .selectFrom('paid')
            .select([
              sql<string>`${uuidV7()}::uuid`.as('id'),
              'paid.id as teamId',
              sql<string>`${apiKeyId}::uuid`.as('apiKeyId'),
              sql<string>`${kind}::text`.as('kind'),
              sql<string>`${subjectId}::uuid`.as('subjectId'),
              sql<number>`${credits}::integer`.as('credits'),
              sql<Date>`date_trunc('milliseconds', now())`.as('createdAt'),
            ]),
        ),
    )
    .selectFrom('paid')
    .selectAll()
    .executeTakeFirst()
  if (row !== undefined) return { outcome: 'charged' }
  return { outcome: 'insufficient-credits', available: (await availableCredits(db, teamId)) ?? 0 }
}

/** Refunds a charge and deletes its bill. Idempotent. */
export async function refund(db: Kysely<Database>, bill: Pick<Charge, 'kind' | 'subjectId'>): Promise<void> {
  await db
    .with('struck', (query) =>
      query
        .deleteFrom('ledger')
        .where('kind', '=', bill.kind)
        .where('subjectId', '=', bill.subjectId)
        .returning(['teamId', 'credits']),
    )
    .updateTable('team')
    .from('struck')
    .set((eb) => ({ credits: eb('team.credits', '+', eb.ref('struck.credits')) }))
    .whereRef('team.id', '=', 'struck.teamId')
    .execute()
}

/**
 * Lowers a charge to the actual cost and refunds the difference. Idempotent: does nothing if the
 * charge is not above `credits`.
 */
export async function lowerCharge(
  db: Kysely<Database>,
  bill: Pick<Charge, 'kind' | 'subjectId' | 'credits'>,
): Promise<void> {
  if (bill.credits === 0) return refund(db, bill)
  await sql`
    with former as (
      select id, team_id, credits from ledger
      where kind = ${bill.kind} and subject_id = ${bill.subjectId} and credits > ${bill.credits} for update),
    lowered as (update ledger set credits = ${bill.credits} from former where ledger.id = former.id)
    update team set credits = team.credits + former.credits - ${bill.credits}
    from former where team.id = former.team_id`.execute(db)
}
