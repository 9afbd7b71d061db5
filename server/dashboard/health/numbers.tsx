import { formatBytes, formatDuration, formatNumber } from '../components/format.ts'
import { Numeral } from '../components/numeral.tsx'
import { sumOf, type Sample } from './metric-text.ts'

/** The numbers of a server that tell most. */
export function Numbers({ samples }: { readonly samples: readonly Sample[] }) {
  const sum = (name: string): number => sumOf(samples, name)
  const answers = samples.filter(({ name }) => name === 'bowline_request_seconds_count')
  const answered = answers.reduce((total, { value }) => total + value, 0)
  const failed = answers
    .filter(({ labels }) => Number(labels['status']) >= 500)
    .reduce((total, { value }) => total + value, 0)
  const meanMs = answered === 0 ? 0 : (sum('bowline_request_seconds_sum') / answered) * 1000
  const upMs = Date.now() - sum('process_start_time_seconds') * 1000
  return (
    <div class="numerals">
      <Numeral title="Live sessions" value={formatNumber(sum('bowline_sessions_live'))}>
        {formatNumber(sum('bowline_sessions_ended_total'))} ended
      </Numeral>
      <Numeral title="CDP clients" value={formatNumber(sum('bowline_cdp_clients'))}>
        {formatNumber(sum('bowline_live_viewers'))} watching
      </Numeral>
      <Numeral title="Memory" value={formatBytes(sum('process_resident_memory_bytes'))}>
        of the server alone
      </Numeral>
      <Numeral title="Answers" value={formatNumber(answered)}>
        {formatNumber(meanMs)} ms each, {formatNumber(failed)} failed
      </Numeral>
      <Numeral title="Traffic of browsers" value={formatBytes(sum('bowline_egress_received_bytes_total'))}>
        {formatNumber(sum('bowline_egress_refused_total'))} refused
      </Numeral>
      <Numeral title="Up for" value={formatDuration(upMs)}>
        {formatNumber(sum('bowline_browsers_launched_total'))} browsers launched
      </Numeral>
    </div>
  )
}
