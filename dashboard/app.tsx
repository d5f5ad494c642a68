/** Shows the sign-in page, or the dashboard while a session lasts. */
import { lazy, Suspense, useCallback, useState } from 'react';
import { RenderFailure } from './components/render-failure.tsx';
import { forgetSession, type Session, storedSession, storeSession } from './session.ts';
import { SignIn } from './sign-in.tsx';

const SignedIn = lazy(() => import('./signed-in.tsx'));

export function App() {
  const [restored] = useState(storedSession);
  const [session, setSession] = useState<Session | undefined>(restored);
  const [signOutReason, setSignOutReason] = useState<string>();

  const end = useCallback((why: string | undefined) => {
    forgetSession();
    setSignOutReason(why);
    setSession(undefined);
  }, []);

  if (session === undefined) {
    return (
      <SignIn
        signOutReason={signOutReason}
        onSignIn={(started) => {
          storeSession(started);
          setSignOutReason(undefined);
          setSession(started);
        }}
      />
    );
  }
  return (
    <RenderFailure>
      <Suspense fallback={null}>
        <SignedIn session={session} isRestored={session === restored} onEnd={end} />
      </Suspense>
    </RenderFailure>
  );
}
