import { useLoaded } from '../frame/use-loaded.ts'
import { Fold } from '../components/fold.tsx'
import { Check } from '../components/field.tsx'

interface ExtensionFieldsProps {
  /** Ids of the chosen extensions. */
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** A checkbox for each browser extension of the team. Empty if it has none. */
export function ExtensionFields({ chosen, onChange }: ExtensionFieldsProps) {
  const { value } = useLoaded('extensions', async (api, signal) => api.call('listExtensions', {}, signal))
  if (value === undefined || value.data.length === 0) return null
  return (
    <Fold title="Extensions">
      {value.data.map(({ id, name, version }) => (
        <Check
          key={id}
          label={`${name} ${version}`}
          isOn={chosen.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((each) => each !== id))}
        />
      ))}
    </Fold>
  )
}
