import type { JobDetails } from 'bowline/contract/jobs'
import { Fact } from '../components/fact.tsx'
import { describeJobOptions } from './describe-job-options.ts'

/** The prompt and the options that a job was started with. Nothing if all are the default. */
export function JobOptionsCard({ details }: { readonly details: JobDetails }) {
  const described = describeJobOptions(details)
  const { omittedOptions = [] } = details
  if (described.length + omittedOptions.length === 0) return null
  return (
    <section class="card">
      <h2>Options</h2>
      <dl class="facts">
        {described.map(([name, value]) => (
          <Fact key={name} name={name}>
            <span class="lines-of-text">{value}</span>
          </Fact>
        ))}
        {omittedOptions.length > 0 && (
          <Fact name="Not shown">
            {omittedOptions.join(', ')} <span class="faint">can contain secrets</span>
          </Fact>
        )}
      </dl>
    </section>
  )
}
