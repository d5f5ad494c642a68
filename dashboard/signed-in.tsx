/** The layout of every page: navigation, notifications, colours, and the end of the session. */
import AppLayoutToolbar from '@cloudscape-design/components/app-layout-toolbar';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { Route, Router, Switch, useLocation } from 'wouter';
import { apiOf } from './api/client.ts';
import { newQueryClient, useAbout } from './api/queries.ts';
import { chooseColours, startingColours } from './colours.ts';
import { Waiting } from './components/loaded.tsx';
import { headingId } from './components/page.tsx';
import { RenderFailure } from './components/render-failure.tsx';
import { DashboardContext, NavigatedContext } from './context.ts';
import { ActivityPage } from './pages/activity/activity.tsx';
import { ClientPage } from './pages/clients/client.tsx';
import { ClientsPage } from './pages/clients/clients.tsx';
import { LimitsPage } from './pages/limits/limits.tsx';
import { ConversationPage } from './pages/messages/conversation.tsx';
import { MessagePage } from './pages/messages/message.tsx';
import { MessagesPage } from './pages/messages/messages.tsx';
import { OutboxPage } from './pages/outbox.tsx';
import { OverviewPage } from './pages/overview/overview.tsx';
import { SearchPage } from './pages/search.tsx';
import { SendersPage } from './pages/senders/senders.tsx';
import { WebhookPage } from './pages/webhooks/webhook.tsx';
import { WebhooksPage } from './pages/webhooks/webhooks.tsx';
import { go, linkTo, useHashLocation } from './route.ts';
import { SearchBox } from './search-box.tsx';
import type { Session } from './session.ts';
import { expired, SignInAgain, useSessionEnd } from './session-end.tsx';
import type { Credentials } from './sign-in.tsx';

interface SignedInProps {
  readonly session: Session;
  /** Whether the session began before this load of the dashboard. */
  readonly isRestored: boolean;
  readonly onSignIn: (credentials: Credentials) => Promise<void>;
  /** @returns false if this tab has not the secret */
  readonly onRenew: () => Promise<boolean>;
  readonly onSignOut: () => void;
  readonly onEnd: (reason: string) => void;
}

// Loaded on demand, as its charts are a quarter of the script.
const UsagePage = lazy(() => import('./pages/usage/usage.tsx'));

export default function SignedIn({
  session,
  isRestored,
  onSignIn,
  onRenew,
  onSignOut,
  onEnd,
}: SignedInProps) {
  const [notices, setNotices] = useState<readonly FlashbarProps.MessageDefinition[]>([]);
  const [isSigningIn, setIsSigningIn] = useState(false);
  const warning = useSessionEnd({ session, onRenew, onEnd }, () => setIsSigningIn(true));

  const notify = useCallback((type: 'success' | 'error', text: string) => {
    const id = crypto.randomUUID();
    const dismiss = (): void => setNotices((shown) => shown.filter((notice) => notice.id !== id));
    setNotices((shown) => [
      ...shown.slice(-2),
      { id, type, content: text, dismissible: true, dismissLabel: 'Dismiss', onDismiss: dismiss },
    ]);
    // An error stays until it is dismissed.
    if (type === 'success') setTimeout(dismiss, 8000);
  }, []);

  const queryClient = useMemo(() => newQueryClient((message) => notify('error', message)), [notify]);
  const dashboard = useMemo(
    () => ({ api: apiOf(session, () => onEnd(expired)), notify }),
    [session, onEnd, notify],
  );

  return (
    <QueryClientProvider client={queryClient}>
      <DashboardContext value={dashboard}>
        <Router hook={useHashLocation}>
          <Layout
            session={session}
            isRestored={isRestored}
            notices={warning === undefined ? notices : [warning, ...notices]}
            onSignOut={() => {
              // The next user starts at the first page.
              go(linkTo('overview'));
              onSignOut();
            }}
          />
          {isSigningIn ? (
            <SignInAgain
              clientId={session.clientId}
              onSignIn={onSignIn}
              onDismiss={() => setIsSigningIn(false)}
            />
          ) : null}
        </Router>
      </DashboardContext>
    </QueryClientProvider>
  );
}

interface LayoutProps extends Pick<SignedInProps, 'session' | 'isRestored'> {
  readonly notices: readonly FlashbarProps.MessageDefinition[];
  readonly onSignOut: () => void;
}

function Layout({ session, isRestored, notices, onSignOut }: LayoutProps) {
  const about = useAbout().data;
  const [path] = useLocation();
  const [firstPath, setFirstPath] = useState(isRestored ? path : undefined);
  if (firstPath !== undefined && firstPath !== path) setFirstPath(undefined);
  const [colours, setColours] = useState(startingColours);
  const other = colours === 'dark' ? 'light' : 'dark';
  const account = about?.name ?? session.clientId;
  return (
    <NavigatedContext value={path !== firstPath}>
      <a
        className="skip-link"
        href={`#${headingId}`}
        onClick={(event) => {
          // The address after `#` is the page's.
          event.preventDefault();
          document.getElementById(headingId)?.focus();
        }}
      >
        Skip to main content
      </a>
      <div id="top">
        <TopNavigation
          identity={{ href: linkTo('overview'), title: 'Messaging gateway' }}
          search={<SearchBox />}
          i18nStrings={{ searchIconAriaLabel: 'Search', searchDismissIconAriaLabel: 'Close the search' }}
          utilities={[
            {
              type: 'button',
              text: other === 'dark' ? 'Dark' : 'Light',
              ariaLabel: `Use ${other} colours`,
              onClick: () => {
                chooseColours(other);
                setColours(other);
              },
            },
            {
              type: 'menu-dropdown',
              text: account,
              iconName: 'user-profile',
              ariaLabel: `${account}, account`,
              items: [{ id: 'sign-out', text: 'Sign out' }],
              onItemClick: onSignOut,
            },
          ]}
        />
      </div>
      <AppLayoutToolbar
        headerSelector="#top"
        toolsHide
        navigation={<Navigation path={path} hasOutbox={about?.outbox === true} />}
        notifications={<Flashbar items={notices} />}
        content={
          <RenderFailure key={path}>
            <Suspense fallback={<Waiting />}>
              <Pages />
            </Suspense>
          </RenderFailure>
        }
      />
    </NavigatedContext>
  );
}

function Navigation({ path, hasOutbox }: { readonly path: string; readonly hasOutbox: boolean }) {
  const link = (text: string, page: string) => ({ type: 'link', text, href: linkTo(page) }) as const;
  const [, page = ''] = path.split('/');
  const parent = { '': 'overview', conversation: 'messages' }[page] ?? page;
  return (
    <SideNavigation
      header={{ text: 'Administration', href: linkTo('overview') }}
      activeHref={linkTo(parent)}
      items={[
        link('Overview', 'overview'),
        link('Activity Logs', 'activity'),
        link('Messages', 'messages'),
        link('Webhooks', 'webhooks'),
        link('Clients', 'clients'),
        link('Usage', 'usage'),
        link('Limits', 'limits'),
        link('Senders', 'senders'),
        ...(hasOutbox ? [link('Outbox', 'outbox')] : []),
      ]}
    />
  );
}

function Pages() {
  return (
    <Switch>
      <Route path="/activity" component={ActivityPage} />
      <Route path="/usage" component={UsagePage} />
      <Route path="/messages" component={MessagesPage} />
      <Route path="/messages/:id">{({ id }) => <MessagePage id={decodeURIComponent(id)} />}</Route>
      <Route path="/conversation" component={ConversationPage} />
      <Route path="/clients" component={ClientsPage} />
      <Route path="/clients/:id">{({ id }) => <ClientPage id={decodeURIComponent(id)} />}</Route>
      <Route path="/limits">
        <LimitsPage clientId={undefined} />
      </Route>
      <Route path="/limits/:id">{({ id }) => <LimitsPage clientId={decodeURIComponent(id)} />}</Route>
      <Route path="/senders" component={SendersPage} />
      <Route path="/outbox" component={OutboxPage} />
      <Route path="/search" component={SearchPage} />
      <Route path="/webhooks" component={WebhooksPage} />
      <Route path="/webhooks/:id">{({ id }) => <WebhookPage id={decodeURIComponent(id)} />}</Route>
      <Route component={OverviewPage} />
    </Switch>
  );
}
