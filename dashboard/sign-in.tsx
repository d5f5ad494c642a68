/** Sign-in with an administrator's client id and secret. The secret is not stored. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import { signIn } from './api/client.ts';
import type { Session } from './session.ts';

interface SignInProps {
  /** Why the last session ended. */
  readonly signOutReason: string | undefined;
  readonly onSignIn: (session: Session) => void;
}

export function SignIn({ signOutReason, onSignIn }: SignInProps) {
  const [clientId, setClientId] = useState('');
  const [secret, setSecret] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (clientId.trim() === '' || secret === '') {
      setError('Enter the client id and the client secret.');
      return;
    }
    setBusy(true);
    setError(undefined);
    try {
      onSignIn(await signIn(clientId.trim(), secret.trim()));
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal.message : String(refusal));
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <title>Sign in – Messaging gateway</title>
      <SpaceBetween size="l">
        {signOutReason === undefined ? null : <Alert type="info">{signOutReason}</Alert>}
        <form onSubmit={(event) => void submit(event)}>
          <Form
            errorText={error}
            actions={
              <Button variant="primary" formAction="submit" loading={busy} loadingText="Signing in">
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
              <SpaceBetween size="m">
                <FormField label="Client id">
                  <Input
                    value={clientId}
                    autoFocus
                    autoComplete="username"
                    spellcheck={false}
                    onChange={({ detail }) => setClientId(detail.value)}
                  />
                </FormField>
                <FormField label="Client secret">
                  <Input
                    type="password"
                    value={secret}
                    autoComplete="current-password"
                    onChange={({ detail }) => setSecret(detail.value)}
                  />
                </FormField>
              </SpaceBetween>
            </Container>
          </Form>
        </form>
      </SpaceBetween>
    </main>
  );
}
