/** Shows the dashboard during a session, and the sign-in page otherwise. */
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { signIn } from './api/call-api.ts';
import { forgetSession, type Session, storedSession, storeSession } from './session.ts';
import { SignIn } from './sign-in.tsx';

const loadSignedIn = async () => {
  const [signedIn] = await Promise.all([import('./signed-in.tsx'), loadStyles()]);
  return signedIn;
};
const SignedIn = lazy(loadSignedIn);

export function App() {
  const [state, setState] = useState<
    | { readonly kind: 'signed_out'; readonly reason: string | undefined }
    | { readonly kind: 'signed_in'; readonly session: Session; readonly isRestored: boolean }
  >(() => {
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
    // Loads the dashboard while the user enters the credentials. A failure is shown later.
    if (isSignedOut) loadSignedIn().catch(() => undefined);
  }, [isSignedOut]);

  const signInWith = useCallback(async (clientId: string, clientSecret: string) => {
    const session = await signIn(clientId, clientSecret);
    storeSession(session);
    setState({ kind: 'signed_in', session, isRestored: false });
  }, []);

  if (state.kind === 'signed_out') return <SignIn signOutReason={state.reason} onSignIn={signInWith} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <SignedIn {...state} onEnd={end} />
    </Suspense>
  );
}

/** The same skeleton as in the page itself (`lib/build/bundle-dashboard.ts`), shown until the dashboard is loaded. */
function Skeleton() {
  return <div className="skeleton" />;
}

let loading: Promise<void> | undefined;

/**
 * Loads the styles of the component library once; the next call retries after a failure. The sign-in page does not need
 * these styles. The style sheet's name is in a `meta` element of the page.
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
