/**
 * The sign-in page, with an administrator's client id and secret. It is plain HTML: the library of the other pages is
 * loaded while the credentials are entered.
 */
import { type FormEvent, useRef, useState } from 'react';

export function SignIn({
  signOutReason,
  onSignIn,
}: {
  /** The reason why the last session ended. */
  readonly signOutReason: string | undefined;
  readonly onSignIn: (clientId: string, clientSecret: string) => Promise<void>;
}) {
  const form = useSignIn(onSignIn);
  return (
    <main className="sign-in">
      <title>Sign in – Messaging gateway</title>
      {signOutReason === undefined ? null : (
        <p className="reason" role="status">
          {signOutReason}
        </p>
      )}
      <form className="card" onSubmit={form.submit}>
        <h1>Messaging gateway</h1>
        <p>Sign in with a client that has the scope admin.</p>
        <label>
          Client id
          <input
            name="username"
            autoComplete="username"
            // biome-ignore lint/a11y/noAutofocus: the form is the page's only content
            autoFocus
            spellCheck={false}
            value={form.clientId}
            onChange={({ target }) => form.setClientId(target.value)}
          />
        </label>
        <label>
          Client secret
          <input
            type="password"
            name="password"
            autoComplete="current-password"
            value={form.secret}
            onChange={({ target }) => form.setSecret(target.value)}
          />
        </label>
        {form.error === undefined ? null : (
          <p className="error" role="alert">
            {form.error}
          </p>
        )}
        <button type="submit" disabled={form.isPending}>
          {form.isPending ? 'Signing in' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}

function useSignIn(onSignIn: (clientId: string, clientSecret: string) => Promise<void>) {
  const [clientId, setClientId] = useState('');
  const [secret, setSecret] = useState('');
  const [isPending, setIsPending] = useState(false);
  /** The second click of a double click arrives before the button is disabled. */
  const isSending = useRef(false);
  const [error, setError] = useState<string>();

  const send = async (): Promise<void> => {
    if (clientId.trim() === '' || secret === '') {
      setError('Enter the client id and the client secret.');
      return;
    }
    if (isSending.current) return;
    isSending.current = true;
    setIsPending(true);
    setError(undefined);
    try {
      await onSignIn(clientId.trim(), secret.trim());
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal.message : String(refusal));
      setIsPending(false);
    } finally {
      isSending.current = false;
    }
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return { clientId, setClientId, secret, setSecret, submit, isPending, error };
}
