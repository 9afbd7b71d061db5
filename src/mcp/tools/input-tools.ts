import type { Locator } from 'playwright-core'
import { z } from 'zod'
import { actOn } from '../browser/tabs.ts'
import { secretNameIn } from '../browser/typed-secrets.ts'
import { changesResult } from './result.ts'
import { browserTool, elementInput, type BrowserScope, type Content, type Tool } from './tool.ts'

const secretNote =
  'To enter a secret of the user, such as a password or a one-time password, pass `<secret>NAME</secret>` with its name.'

const click = browserTool({
  name: 'browser_click',
  title: 'Click',
  description: 'Clicks an element, and returns what has changed on the page.',
  input: {
    ...elementInput,
    doubleClick: z.boolean().default(false).describe('Double-click instead'),
    button: z.enum(['left', 'right', 'middle']).default('left'),
    modifiers: z.array(z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift'])).optional(),
  },
  isReadOnly: false,
  run: async ({ ref, doubleClick, button, modifiers }, scope) =>
    act(scope, ref, async (element) => {
      const options = { button, ...(modifiers === undefined ? {} : { modifiers }) }
      await (doubleClick ? element.dblclick(options) : element.click(options))
    }),
})

const hover = browserTool({
  name: 'browser_hover',
  title: 'Hover',
  description: 'Moves the mouse over an element, and returns what has changed on the page.',
  input: elementInput,
  isReadOnly: false,
  run: async ({ ref }, scope) => act(scope, ref, async (element) => element.hover()),
})

const drag = browserTool({
  name: 'browser_drag',
  title: 'Drag and drop',
  description: 'Drags one element onto another.',
  input: {
    startElement: z.string().optional().describe('Description of the element to drag'),
    startRef: z.string().describe('Ref of the element to drag'),
    endElement: z.string().optional().describe('Description of the element to drop it on'),
    endRef: z.string().describe('Ref of the element to drop it on'),
  },
  isReadOnly: false,
  run: async ({ startRef, endRef }, scope) =>
    act(scope, startRef, async (element) => element.dragTo(scope.tab.snapshots.locate(endRef))),
})

const type = browserTool({
  name: 'browser_type',
  title: 'Type text',
  description: `Replaces the text of a field. ${secretNote}`,
  input: {
    ...elementInput,
    text: z.string().describe('Text to enter, or `<secret>NAME</secret>`'),
    submit: z.boolean().default(false).describe('Press Enter afterwards'),
    slowly: z.boolean().default(false).describe('Press a key for each character, for pages that handle keys'),
  },
  isReadOnly: false,
  run: async ({ ref, text, submit, slowly }, scope) =>
    act(scope, ref, async (element) => {
      await enterText(scope, element, text, { slowly })
      if (submit) await element.press('Enter')
    }),
})

const fillForm = browserTool({
  name: 'browser_fill_form',
  title: 'Fill a form',
  description: `Fills several fields of a form. ${secretNote}`,
  input: {
    fields: z
      .array(
        z.object({
          name: z.string().optional().describe('Name of the field, for people who confirm the call'),
          type: z.enum(['textbox', 'checkbox', 'radio', 'combobox', 'slider']),
          ref: elementInput.ref,
          value: z
            .string()
            .describe(
              '`true` or `false` for checkboxes, the text of the option for comboboxes, `<secret>NAME</secret>` for a secret',
            ),
        }),
      )
      .min(1)
      .max(100),
  },
  isReadOnly: false,
  run: async ({ fields }, scope) => {
    await actOn(scope.tab, async () => {
      for (const { type, ref, value } of fields) {
        const element = scope.tab.snapshots.locate(ref)
        if (type === 'checkbox' || type === 'radio') await element.setChecked(value === 'true')
        else if (type === 'combobox') await chooseOptions(element, [value])
        else await enterText(scope, element, value)
      }
    })
    return changesResult(scope)
  },
})

const selectOption = browserTool({
  name: 'browser_select_option',
  title: 'Select an option',
  description: 'Selects options of a list by their text or value.',
  input: { ...elementInput, values: z.array(z.string()).describe('Texts or values of the options') },
  isReadOnly: false,
  run: async ({ ref, values }, scope) => act(scope, ref, async (element) => chooseOptions(element, values)),
})

const pressKey = browserTool({
  name: 'browser_press_key',
  title: 'Press a key',
  description: 'Presses a key, such as `Enter`, `ArrowDown`, `PageDown`, `a` or `Control+A`.',
  input: { key: z.string().min(1).describe('Name of the key, or a character') },
  isReadOnly: false,
  run: async ({ key }, scope) => {
    await actOn(scope.tab, async () => scope.tab.page.keyboard.press(key))
    return changesResult(scope)
  },
})

/** Tools that use the mouse and the keyboard. */
export const inputTools: readonly Tool[] = [click, hover, drag, type, fillForm, selectOption, pressKey]

async function act(
  scope: BrowserScope,
  ref: string,
  action: (element: Locator) => Promise<unknown>,
): Promise<readonly Content[]> {
  const element = scope.tab.snapshots.locate(ref)
  await actOn(scope.tab, async () => action(element))
  return changesResult(scope)
}

/** Enters a text into a field. All text that tools type goes through here. */
async function enterText(
  { open, tab }: BrowserScope,
  element: Locator,
  text: string,
  { slowly = false } = {},
): Promise<void> {
  const secret = secretNameIn(text)
  if (secret !== undefined) {
    await element.clear()
    await element.focus()
    return open.secrets.type(tab.page, secret, { slowly })
  }
  if (!slowly) return element.fill(text)
  await element.clear()
  await element.pressSequentially(text)
}

async function chooseOptions(element: Locator, values: readonly string[]): Promise<void> {
  await element.selectOption([...values])
}
