/** Shows the sign-in page, or the dashboard while a session lasts. */
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { signIn } from './api/call-api.ts';
import { useColours } from './colours.ts';
import { forgetSession, otherTabs, type Session, storedSession, storeSession } from './session.ts';
import { type Credentials, SignIn } from './sign-in.tsx';

const loadSignedIn = async () => {
  const [signedIn] = await Promise.all([import('./signed-in.tsx'), loadStyles()]);
  return signedIn;
};
const SignedIn = lazy(loadSignedIn);

/** The sign-in page is shown after this time without an answer of another tab. */
const answerMs = 250;

type State =
  /** Another tab may have a session. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'signed_out'; readonly reason: string | undefined }
  | { readonly kind: 'signed_in'; readonly session: Session; readonly isRestored: boolean };

export function App() {
  const [state, setState] = useState<State>(() => {
    const session = storedSession();
    return session === undefined ? { kind: 'asking' } : { kind: 'signed_in', session, isRestored: true };
  });
  /** The credentials with which this tab itself signed in. */
  const credentials = useRef<Credentials>(undefined);
  const tabs = useRef<ReturnType<typeof otherTabs>>(undefined);
  const session = state.kind === 'signed_in' ? state.session : undefined;
  const held = useRef(session);
  held.current = session;

  const start = useCallback((started: Session, isRestored = false) => {
    storeSession(started);
    setState((before) => ({
      kind: 'signed_in',
      session: started,
      isRestored: before.kind === 'signed_in' ? before.isRestored : isRestored,
    }));
  }, []);

  const end = useCallback((reason: string | undefined) => {
    forgetSession();
    credentials.current = undefined;
    setState({ kind: 'signed_out', reason });
  }, []);

  useEffect(() => {
    const opened = otherTabs({
      current: () => held.current,
      onSession: (shared) => start(shared, true),
      onSignOut: () => end('You signed out in another tab.'),
    });
    tabs.current = opened;
    if (held.current === undefined) opened.ask();
    const unanswered = setTimeout(() => {
      setState((now) => (now.kind === 'asking' ? { kind: 'signed_out', reason: undefined } : now));
    }, answerMs);
    return () => {
      clearTimeout(unanswered);
      opened.close();
    };
  }, [start, end]);

  const isSignedOut = state.kind === 'signed_out';
  useEffect(() => {
    // While the credentials are entered, so that the rows need not wait for it; a failure shows when the dashboard is.
    if (isSignedOut) loadSignedIn().catch(() => undefined);
  }, [isSignedOut]);

  const signInWith = useCallback(
    async (entered: Credentials) => {
      const started = await signIn(entered.clientId, entered.clientSecret);
      credentials.current = entered;
      start(started);
      tabs.current?.tell({ kind: 'session', session: started });
    },
    [start],
  );

  /** @returns false if this tab has not the secret */
  const renew = useCallback(async (): Promise<boolean> => {
    const [own, current] = [credentials.current, held.current];
    // Another tab may have signed in as somebody else.
    if (own === undefined || own.clientId !== current?.clientId) return false;
    const { token, endsAt } = await signIn(own.clientId, own.clientSecret);
    // Signed out meanwhile.
    if (credentials.current === undefined) return false;
    const renewed = { ...current, token, endsAt };
    start(renewed);
    tabs.current?.tell({ kind: 'session', session: renewed });
    return true;
  }, [start]);

  const signOut = useCallback(() => {
    tabs.current?.tell({ kind: 'signed_out' });
    end(undefined);
  }, [end]);

  const look = useColours();
  if (state.kind === 'asking') return <Skeleton />;
  if (state.kind === 'signed_out') return <SignIn signOutReason={state.reason} onSignIn={signInWith} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <SignedIn
        {...state}
        look={look}
        onSignIn={signInWith}
        onRenew={renew}
        onSignOut={signOut}
        onEnd={end}
      />
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
