import { z } from 'zod'
import { list, type Setting } from './setting.ts'

/** How people and programs are told what happened. */
export const notificationSettings = {
  metricsToken: {
    flag: 'metrics-token',
    env: 'BOWLINE_METRICS_TOKEN',
    help: 'bearer token with which a scrape job may read /metrics and nothing else; default: admin keys alone read it',
    accepts: 'at least 16 characters without white space',
    schema: z
      .string()
      .regex(/^\S{16,}$/)
      .optional(),
  },
  webhookSecret: {
    flag: 'webhook-secret',
    env: 'BOWLINE_WEBHOOK_SECRET',
    help: 'signs what is sent to webhooks, for teams that have no secret of their own; default: no signature',
    accepts: 'at least 16 characters',
    schema: z.string().min(16).optional(),
  },
  smtpUrl: {
    flag: 'smtp-url',
    env: 'BOWLINE_SMTP_URL',
    help: 'server that takes mails, with `--public-url` for the links in them; default: none, monitors tell nobody by mail',
    accepts: 'an smtp: or smtps: URL, such as smtp://user:password@mail.example.com:587',
    schema: z.url({ protocol: /^smtps?$/, hostname: /./ }).optional(),
  },
  mailFrom: {
    flag: 'mail-from',
    env: 'BOWLINE_MAIL_FROM',
    help: 'sender of mails',
    accepts: 'an address, such as "Bowline <bowline@example.com>"',
    schema: z.string().regex(/@/).default('bowline@localhost'),
  },
  mailTrusted: {
    flag: 'mail-trusted',
    env: 'BOWLINE_MAIL_TRUSTED',
    help: 'readers of mails that need not confirm, separated by commas',
    accepts: 'addresses and domains, separated by commas',
    schema: list.pipe(z.array(z.string().regex(/\./))).default([]),
  },
} as const satisfies Record<string, Setting>
