/** What a run is mostly about. */
export const stepThemes = [
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
/** Runs about `rows` have the steps of another theme, and edits of rows by hand. */
export const themes = [...stepThemes, 'rows'] as const;
export type Theme = (typeof themes)[number];
