// Preloaded into a program: the packages in HIDDEN_PACKAGES are not found, as if they were not installed.
import { registerHooks } from 'node:module'

const hidden = (process.env['HIDDEN_PACKAGES'] ?? '').split(',')

registerHooks({
  resolve: (specifier, context, next) => {
    if (!hidden.includes(specifier)) return next(specifier, context)
    const message = `Cannot find package '${specifier}' imported from ${context.parentURL}`
    throw Object.assign(new Error(message), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
