/** Sign-in with an administrator's client id and secret, as a page and in a dialog. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Form from '@cloudscape-design/components/form';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useRef, useState } from 'react';
import { TextField } from './components/text-field.tsx';

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface SignInProps {
  /** Why the last session ended. */
  readonly signOutReason: string | undefined;
  readonly onSignIn: (credentials: Credentials) => Promise<void>;
}

export function SignIn({ signOutReason, onSignIn }: SignInProps) {
  const form = useSignIn('', onSignIn);
  return (
    <main className="sign-in">
      <title>Sign in – Messaging gateway</title>
      <SpaceBetween size="l">
        {signOutReason === undefined ? null : <Alert type="info">{signOutReason}</Alert>}
        <form onSubmit={form.submit}>
          <Form
            errorText={form.error}
            actions={
              <Button variant="primary" formAction="submit" loading={form.isPending} loadingText="Signing in">
                Sign in
              </Button>
            }
          >
            <Container
              header={
                <Header variant="h1" description="Sign in with a client that has the scope admin.">
                  Messaging gateway
                </Header>
              }
            >
              {form.fields}
            </Container>
          </Form>
        </form>
      </SpaceBetween>
    </main>
  );
}

/** @param firstClientId - entered beforehand */
export function useSignIn(firstClientId: string, onSignIn: SignInProps['onSignIn']) {
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

  const fields = (
    <SpaceBetween size="m">
      <TextField
        label="Client id"
        value={clientId}
        autoFocus={firstClientId === ''}
        name="username"
        autoComplete="username"
        spellcheck={false}
        onChange={setClientId}
      />
      <TextField
        label="Client secret"
        type="password"
        value={secret}
        autoFocus={firstClientId !== ''}
        name="password"
        autoComplete="current-password"
        onChange={setSecret}
      />
    </SpaceBetween>
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return { fields, submit, isPending, error };
}
