/** Sign-in with an administrator's client id and secret, as a page and in a dialog. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Form from '@cloudscape-design/components/form';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';

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
        <form onSubmit={(event) => void form.submit(event)}>
          <Form
            errorText={form.error}
            actions={
              <Button variant="primary" formAction="submit" loading={form.isBusy} loadingText="Signing in">
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
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string>();

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (clientId.trim() === '' || secret === '') {
      setError('Enter the client id and the client secret.');
      return;
    }
    setIsBusy(true);
    setError(undefined);
    try {
      await onSignIn({ clientId: clientId.trim(), clientSecret: secret.trim() });
    } catch (refusal) {
      setError(refusal instanceof Error ? refusal.message : String(refusal));
      setIsBusy(false);
    }
  };

  const fields = (
    <SpaceBetween size="m">
      <FormField label="Client id">
        <Input
          value={clientId}
          autoFocus={firstClientId === ''}
          name="username"
          autoComplete="username"
          spellcheck={false}
          onChange={({ detail }) => setClientId(detail.value)}
        />
      </FormField>
      <FormField label="Client secret">
        <Input
          type="password"
          value={secret}
          autoFocus={firstClientId !== ''}
          name="password"
          autoComplete="current-password"
          onChange={({ detail }) => setSecret(detail.value)}
        />
      </FormField>
    </SpaceBetween>
  );
  return { fields, submit, isBusy, error };
}
