/** Warns five minutes before the session ends, and ends it. */
import type { FlashbarProps } from '@cloudscape-design/components/flashbar';
import { useEffect, useState } from 'react';
import type { Session } from './session.ts';

export const expired = 'Your session has expired. Sign in again to continue.';

const warningMs = 5 * 60_000;
const format = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** Returns the warning, once the session is about to end. */
export function useSessionEnd(
  session: Session,
  onEnd: (session: Session) => void,
): FlashbarProps.MessageDefinition | undefined {
  const [warnedOf, setWarnedOf] = useState<Session>();
  useEffect(() => {
    const warning = setTimeout(() => setWarnedOf(session), session.endsAt - warningMs - Date.now());
    const end = setTimeout(() => onEnd(session), session.endsAt - Date.now());
    return () => {
      clearTimeout(warning);
      clearTimeout(end);
    };
  }, [session, onEnd]);
  if (warnedOf !== session) return undefined;
  return {
    id: 'session-end',
    type: 'warning',
    header: `Your session ends at ${format.format(session.endsAt)}`,
    content: 'Save your changes before that. You can sign in again at once.',
  };
}
