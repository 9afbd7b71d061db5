import { z } from 'zod'
import { list, type Setting } from './setting.ts'

/** Settings of metrics, webhooks and emails. */
export const notificationSettings = {
  metricsToken: {
    flag: 'metrics-token',
    env: 'BOWLINE_METRICS_TOKEN',
    help: 'bearer token that grants access to /metrics only; admin keys always have access',
    accepts: 'at least 16 characters without white space',
    schema: z
      .string()
      .regex(/^\S{16,}$/)
      .optional(),
  },
  webhookSecret: {
    flag: 'webhook-secret',
    env: 'BOWLINE_WEBHOOK_SECRET',
    help: 'secret that signs the webhooks of teams without their own secret; default: unsigned',
    accepts: 'at least 16 characters',
    schema: z.string().min(16).optional(),
  },
  smtpUrl: {
    flag: 'smtp-url',
    env: 'BOWLINE_SMTP_URL',
    help: 'SMTP server for the emails of monitors; requires `--public-url`; default: no emails',
    accepts: 'an smtp: or smtps: URL, such as smtp://user:password@mail.example.com:587',
    schema: z.url({ protocol: /^smtps?$/, hostname: /./ }).optional(),
  },
  mailFrom: {
    flag: 'mail-from',
    env: 'BOWLINE_MAIL_FROM',
    help: 'sender address of emails',
    accepts: 'an email address, such as "Bowline <bowline@example.com>"',
    schema: z.string().regex(/@/).default('bowline@localhost'),
  },
  mailTrusted: {
    flag: 'mail-trusted',
    env: 'BOWLINE_MAIL_TRUSTED',
    help: 'comma-separated recipients that receive emails without confirming their address',
    accepts: 'comma-separated email addresses and domains',
    schema: list.pipe(z.array(z.string().regex(/\./))).default([]),
  },
} as const satisfies Record<string, Setting>
