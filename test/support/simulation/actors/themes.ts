/** The main subject of a run. */
export const themes = [
  'messages',
  'limits',
  'caps',
  'otp',
  'bulk',
  'schedules',
  'webhooks',
  'opt-outs',
  'administration',
] as const;
export type Theme = (typeof themes)[number];
