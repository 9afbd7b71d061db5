import { Icon, type IconName } from '../components/icon.tsx'

interface ToolButtonProps {
  readonly icon: IconName
  readonly label: string
  /** Tooltip. Default: the label. */
  readonly title?: string
  readonly onClick: () => void
}

/** A button below the menu: an icon with its label. */
export function ToolButton({ icon, label, title = label, onClick }: ToolButtonProps) {
  return (
    <button type="button" class="tool" title={title} onClick={onClick}>
      <Icon name={icon} />
      <span>{label}</span>
    </button>
  )
}
