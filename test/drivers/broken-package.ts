/** Simulates an installed library that cannot be loaded. @module */
throw new Error('broken on purpose')
