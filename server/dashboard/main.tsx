import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme, storedTheme } from './frame/theme.ts'
import './styles/base.css'
import './styles/frame.css'
import './styles/components.css'
import './styles/pages.css'

applyTheme(storedTheme())
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
