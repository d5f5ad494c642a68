/** Shows the sign-in page, or the dashboard while a session lasts. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { signIn } from './api/call-api.ts';
import { useColours } from './colours.ts';
import { forgetSession, type Session, storedSession, storeSession } from './session.ts';
import { type Credentials, SignIn } from './sign-in.tsx';

const loadSignedIn = async () => {
  const [signedIn] = await Promise.all([import('./signed-in.tsx'), loadStyles()]);
  return signedIn;
};
const SignedIn = lazy(loadSignedIn);

type State =
  | { readonly kind: 'signed_out'; readonly reason: string | undefined }
  | { readonly kind: 'signed_in'; readonly session: Session; readonly isRestored: boolean };

export function App() {
  const [state, setState] = useState<State>(() => {
    const session = storedSession();
    return session === undefined
      ? { kind: 'signed_out', reason: undefined }
      : { kind: 'signed_in', session, isRestored: true };
  });

  const end = useCallback((reason: string | undefined) => {
    forgetSession();
    setState({ kind: 'signed_out', reason });
  }, []);

  const isSignedOut = state.kind === 'signed_out';
  useEffect(() => {
    // While the credentials are entered, so that the rows need not wait for it; a failure shows when the dashboard is.
    if (isSignedOut) loadSignedIn().catch(() => undefined);
  }, [isSignedOut]);

  const signInWith = useCallback(async ({ clientId, clientSecret }: Credentials) => {
    const session = await signIn(clientId, clientSecret);
    storeSession(session);
    setState({ kind: 'signed_in', session, isRestored: false });
  }, []);

  const look = useColours();
  if (state.kind === 'signed_out') return <SignIn signOutReason={state.reason} onSignIn={signInWith} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <SignedIn {...state} look={look} onEnd={end} />
    </Suspense>
  );
}

/** As in the page itself (`lib/build/bundle-dashboard.ts`), until there is more to show. */
function Skeleton() {
  return <div className="skeleton" />;
}

let loading: Promise<void> | undefined;

/**
 * Loads the styles of the library, which the sign-in page does without; the page names their file. Once; again after
 * a failure.
 */
function loadStyles(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const file = document.querySelector<HTMLMetaElement>('meta[name=styles]')?.content ?? '';
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = file;
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = undefined;
      reject(new Error(`${file} could not be loaded`));
    };
    document.head.append(link);
  });
  return loading;
}
