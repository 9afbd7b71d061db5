import { countOf, formatBytes, formatDuration, formatNumber } from '../components/format.ts'
import { Stat } from '../components/stat.tsx'
import { sumOf, type Sample } from './metric-text.ts'

/** The most important metrics of the server. */
export function ServerStats({ samples }: { readonly samples: readonly Sample[] }) {
  const sum = (name: string): number => sumOf(samples, name)
  const requests = samples.filter(({ name }) => name === 'bowline_request_seconds_count')
  const response = requests.reduce((total, { value }) => total + value, 0)
  const failed = requests
    .filter(({ labels }) => Number(labels['status']) >= 500)
    .reduce((total, { value }) => total + value, 0)
  const meanMs = response === 0 ? 0 : (sum('bowline_request_seconds_sum') / response) * 1000
  const upMs = Date.now() - sum('process_start_time_seconds') * 1000
  return (
    <div class="stats">
      <Stat title="Live sessions" value={formatNumber(sum('bowline_sessions_live'))}>
        {formatNumber(sum('bowline_sessions_ended_total'))} ended
      </Stat>
      <Stat title="CDP clients" value={formatNumber(sum('bowline_cdp_clients'))}>
        {countOf(sum('bowline_live_viewers'), 'live viewer')}
      </Stat>
      <Stat title="Memory" value={formatBytes(sum('process_resident_memory_bytes'))}>
        server process only
      </Stat>
      <Stat title="Requests" value={formatNumber(response)}>
        {formatNumber(meanMs)} ms on average, {formatNumber(failed)} failed
      </Stat>
      <Stat title="Browser traffic" value={formatBytes(sum('bowline_egress_received_bytes_total'))}>
        {countOf(sum('bowline_egress_refused_total'), 'request')} refused
      </Stat>
      <Stat title="Uptime" value={formatDuration(upMs)}>
        {countOf(sum('bowline_browsers_launched_total'), 'browser')} launched
      </Stat>
    </div>
  )
}
