/** For hand-overs that are not about suppressions: nobody opted out, and no WhatsApp window is open. */

import type { DispatchDependencies } from '../../../shared/message/dispatch/call-carrier.ts';

export const nobodySuppressed: Pick<
  DispatchDependencies,
  'suppressions' | 'recordOptOut' | 'windows' | 'contacts' | 'warn'
> = {
  suppressions: { get: async () => undefined },
  recordOptOut: async () => true,
  contacts: { note: async () => {} },
  warn: () => {},
  windows: { openedAt: async () => undefined },
};
