import { Fact } from '../components/fact.tsx'
import { describeOptions } from './describe-options.ts'
import type { SessionDetails } from './session-calls.ts'

/** The options that a session was created with. */
export function SessionOptions({ session: { options, omittedOptions = [] } }: { readonly session: SessionDetails }) {
  return (
    <section class="card">
      <h2>Options</h2>
      {options === undefined ? (
        <p class="faint">The options of this session were not stored. The server was older when it started.</p>
      ) : (
        <dl class="facts">
          {describeOptions(options).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
          {omittedOptions.length > 0 && (
            <Fact name="Not stored">
              {omittedOptions.join(', ')} <span class="faint">can contain secrets</span>
            </Fact>
          )}
        </dl>
      )}
    </section>
  )
}
