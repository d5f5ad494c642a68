/** The state of a sign-in form: what is entered, whether it is being sent, and why it was refused. */
import { type FormEvent, useRef, useState } from 'react';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** @param firstClientId - entered beforehand */
export function useSignIn(firstClientId: string, onSignIn: (credentials: Credentials) => Promise<void>) {
  const [clientId, setClientId] = useState(firstClientId);
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
      await onSignIn({ clientId: clientId.trim(), clientSecret: secret.trim() });
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
