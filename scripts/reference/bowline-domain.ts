/** Describes the commands with which clients type secrets that they do not have. */
export const bowlineDomain = {
  domain: 'Bowline',
  description: 'Types secrets by their names. The server executes its commands, not the browser.',
  commands: [
    {
      name: 'typeSecret',
      description:
        'Types a secret into the focused field of a page. The focused frame must be of an origin of the secret.',
      parameters: [
        { name: 'name', type: 'string', description: 'Name of the secret.' },
        { name: 'targetId', type: 'string', optional: true, description: 'Default: the page of the session.' },
        {
          name: 'slowly',
          type: 'boolean',
          optional: true,
          description: 'Enter each character with the events of its key.',
        },
      ],
    },
    {
      name: 'maskSecrets',
      description: 'Replaces the secrets that were typed in the browser session by `<secret>NAME</secret>`.',
      parameters: [{ name: 'texts', type: 'array', items: { type: 'string' } }],
      returns: [{ name: 'texts', type: 'array', items: { type: 'string' } }],
    },
  ],
}
