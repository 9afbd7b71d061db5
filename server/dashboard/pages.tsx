import type { VNode } from 'preact'
import { ActivityPage } from './activity/activity-page.tsx'
import { ScrapePage } from './activity/scrape-page.tsx'
import { AuditLogPage } from './audit-log/audit-log-page.tsx'
import { ExtensionsPage } from './extensions/extensions-page.tsx'
import { linkTo, type Route } from './frame/route.ts'
import { HealthPage } from './health/health-page.tsx'
import { isJobKind } from './jobs/job-calls.ts'
import { JobPage } from './jobs/job-page.tsx'
import { JobsPage } from './jobs/jobs-page.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { CheckPage } from './monitors/check-page.tsx'
import { MonitorPage } from './monitors/monitor-page.tsx'
import { MonitorsPage } from './monitors/monitors-page.tsx'
import { Empty } from './components/empty.tsx'
import { Page } from './components/page.tsx'
import { PlaygroundPage } from './playground/playground-page.tsx'
import { ProfilePage } from './profiles/profile-page.tsx'
import { ProfilesPage } from './profiles/profiles-page.tsx'
import { SecretsPage } from './secrets/secrets-page.tsx'
import { SessionPage } from './sessions/session-page.tsx'
import { SessionsPage } from './sessions/sessions-page.tsx'
import { TeamsPage } from './teams/teams-page.tsx'
import { UsagePage } from './usage/usage-page.tsx'
import { DeliveryPage } from './webhooks/delivery-page.tsx'
import { WebhooksPage } from './webhooks/webhooks-page.tsx'

/** The page of a route. */
export function pageOf(route: Route): VNode {
  const [id, second] = route.rest
  switch (route.section) {
    case 'sessions':
      return id === undefined ? <SessionsPage route={route} /> : <SessionPage key={id} id={id} route={route} />
    case 'profiles':
      return id === undefined ? <ProfilesPage /> : <ProfilePage key={id} name={id} />
    case 'extensions':
      return <ExtensionsPage />
    case 'playground':
      return <PlaygroundPage route={route} />
    case 'jobs':
      return id === undefined ? <JobsPage route={route} /> : jobPage(id, second)
    case 'monitors':
      return id === undefined ? <MonitorsPage /> : monitorPage(id, second)
    case 'webhooks':
      return id === undefined ? <WebhooksPage route={route} /> : <DeliveryPage key={id} id={id} />
    case 'usage':
      return <UsagePage />
    case 'activity':
      return <ActivityPage route={route} />
    case 'scrapes':
      return id === undefined ? <NotFound /> : <ScrapePage key={id} id={id} />
    case 'teams':
      return <TeamsPage />
    case 'keys':
      return <KeysPage />
    case 'secrets':
      return <SecretsPage />
    case 'audit-log':
      return <AuditLogPage route={route} />
    case 'health':
      return <HealthPage />
    default:
      return <NotFound />
  }
}

function jobPage(kind: string, id: string | undefined): VNode {
  return isJobKind(kind) && id !== undefined ? <JobPage key={id} kind={kind} id={id} /> : <NotFound />
}

function monitorPage(id: string, checkId: string | undefined): VNode {
  return checkId === undefined ? (
    <MonitorPage key={id} id={id} />
  ) : (
    <CheckPage key={checkId} id={id} checkId={checkId} />
  )
}

function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="This page does not exist">
        <a class="button" href={linkTo(['sessions'])}>
          Go to sessions
        </a>
      </Empty>
    </Page>
  )
}
