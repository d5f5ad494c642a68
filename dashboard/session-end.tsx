/** Renews the session while the tab is used; where it cannot be renewed, warns before it ends and asks for the secret in place. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { FlashbarProps } from '@cloudscape-design/components/flashbar';
import { useEffect, useRef, useState } from 'react';
import { FormDialog } from './components/form.tsx';
import { TextField } from './components/form-fields.tsx';
import { mayRenew, type Session, warningMs } from './session.ts';
import { type Credentials, useSignIn } from './sign-in.tsx';

export const expired = 'Your session has expired. Sign in again to continue.';

interface SessionEndOptions {
  readonly session: Session;
  /** @returns false if this tab has not the secret */
  readonly onRenew: () => Promise<boolean>;
  readonly onEnd: (session: Session) => void;
}

/** The warning, once the session is about to end. */
export function useSessionEnd(
  { session, onRenew, onEnd }: SessionEndOptions,
  onAsk: () => void,
): FlashbarProps.MessageDefinition | undefined {
  const lastUsedAt = useLastUse();
  const [warnedOf, setWarnedOf] = useState<Session>();

  useEffect(() => {
    const renewOrWarn = async (): Promise<void> => {
      const isRenewed = mayRenew(session, lastUsedAt.current, Date.now())
        ? await onRenew().catch(() => false)
        : false;
      if (!isRenewed) setWarnedOf(session);
    };
    const warning = setTimeout(() => void renewOrWarn(), session.endsAt - warningMs - Date.now());
    const end = setTimeout(() => onEnd(session), session.endsAt - Date.now());
    return () => {
      clearTimeout(warning);
      clearTimeout(end);
    };
  }, [session, onRenew, onEnd, lastUsedAt]);

  if (warnedOf !== session) return undefined;
  const stay = async (): Promise<void> => {
    const isRenewed = await onRenew().catch(() => false);
    if (!isRenewed) onAsk();
  };
  return {
    id: 'session-end',
    type: 'warning',
    header: `Your session ends at ${format.format(session.endsAt)}`,
    content: 'Stay signed in to keep this page as it is.',
    action: <Button onClick={() => void stay()}>Stay signed in</Button>,
  };
}

const format = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** The time of the last click or key in this tab. */
function useLastUse() {
  const at = useRef(Date.now());
  useEffect(() => {
    const note = (): void => {
      at.current = Date.now();
    };
    const events = ['pointerdown', 'keydown'] as const;
    for (const event of events) addEventListener(event, note, { capture: true, passive: true });
    return () => {
      for (const event of events) removeEventListener(event, note, { capture: true });
    };
  }, []);
  return at;
}

interface SignInAgainProps {
  readonly clientId: string;
  readonly onSignIn: (credentials: Credentials) => Promise<void>;
  readonly onDismiss: () => void;
}

/** Over the page, so that nothing on it is lost. */
export function SignInAgain({ clientId, onSignIn, onDismiss }: SignInAgainProps) {
  const form = useSignIn(clientId, async (credentials) => {
    await onSignIn(credentials);
    onDismiss();
  });
  return (
    <FormDialog title="Sign in again" action="Sign in" form={{ ...form, onClose: onDismiss }}>
      <Box>The client secret is not stored, so it is needed again.</Box>
      <TextField
        label="Client id"
        value={form.clientId}
        name="username"
        autoComplete="username"
        spellcheck={false}
        onChange={form.setClientId}
      />
      <TextField
        label="Client secret"
        type="password"
        value={form.secret}
        autoFocus
        name="password"
        autoComplete="current-password"
        onChange={form.setSecret}
      />
    </FormDialog>
  );
}
