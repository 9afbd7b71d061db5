const targetId = { name: 'targetId', type: 'string', optional: true, description: 'Default: the page of the session.' }
const instructions = { name: 'instructions', type: 'string', optional: true }
const reason = { name: 'reason', type: 'string', optional: true }
const handoffId = { name: 'handoffId', type: 'string', optional: true }

/** Describes the commands and the event with which clients hand a page to a human. */
export const cloudflareDomain = {
  domain: 'Cloudflare',
  description: 'Hands pages to a human in the live view. The server executes its commands, not the browser.',
  commands: [
    {
      name: 'handoff',
      description: 'Hands a page to a human. Input of clients waits or fails until the hand-off ends.',
      parameters: [
        targetId,
        instructions,
        { name: 'timeout', type: 'integer', optional: true, description: 'Milliseconds. Default: 30 minutes.' },
        { name: 'input', type: 'string', optional: true, enum: ['wait', 'fail'] },
      ],
      returns: [
        { name: 'targetId', type: 'string' },
        { name: 'handoffId', type: 'string' },
      ],
    },
    {
      name: 'handoffComplete',
      description: 'Ends a hand-off.',
      parameters: [targetId, { name: 'success', type: 'boolean', optional: true }, reason],
    },
    {
      name: 'getHandoffState',
      description: 'Describes the open hand-off of a page.',
      parameters: [targetId],
      returns: [
        { name: 'active', type: 'boolean' },
        handoffId,
        instructions,
        { name: 'timeout', type: 'integer', optional: true },
        { name: 'durationMs', type: 'integer', optional: true },
      ],
    },
    {
      name: 'getLiveView',
      description: 'Returns a link to the interactive live view of a page, which opens for a limited time.',
      parameters: [
        targetId,
        { name: 'mode', type: 'string', optional: true, enum: ['tab', 'full', 'devtools'] },
        { name: 'expiresInMs', type: 'integer', optional: true, description: 'Default: 300000.' },
      ],
      returns: [{ name: 'devtoolsFrontendUrl', type: 'string' }],
    },
    {
      name: 'getSessionId',
      description: 'Returns the id of the browser session.',
      returns: [{ name: 'sessionId', type: 'string' }],
    },
  ],
  events: [
    {
      name: 'handoffComplete',
      description: 'The hand-off of a page has ended.',
      parameters: [
        { name: 'targetId', type: 'string' },
        handoffId,
        instructions,
        { name: 'success', type: 'boolean' },
        reason,
      ],
    },
  ],
}
