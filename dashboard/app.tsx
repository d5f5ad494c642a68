/** The dashboard as a whole: signing in, the frame around every page, and the end of a session. */
import { lazy, Suspense, useCallback, useState } from 'react';
import { RenderFailure } from './components/render-failure.tsx';
import { forgetSession, type Session, storedSession, storeSession } from './session.ts';
import { SignIn } from './sign-in.tsx';

const SignedIn = lazy(() => import('./signed-in.tsx'));

export function App() {
  const [session, setSession] = useState<Session | undefined>(storedSession);
  const [signOutReason, setFarewell] = useState<string>();

  const end = useCallback((why: string | undefined) => {
    forgetSession();
    setFarewell(why);
    setSession(undefined);
  }, []);

  if (session === undefined) {
    return (
      <SignIn
        signOutReason={signOutReason}
        onSignIn={(started) => {
          storeSession(started);
          setFarewell(undefined);
          setSession(started);
        }}
      />
    );
  }
  return (
    <RenderFailure>
      <Suspense fallback={null}>
        <SignedIn session={session} onEnd={end} />
      </Suspense>
    </RenderFailure>
  );
}
