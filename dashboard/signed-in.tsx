/** The layout of every page: navigation, notifications, colours, and the end of the session. */
import AppLayoutToolbar from '@cloudscape-design/components/app-layout-toolbar';
import Box from '@cloudscape-design/components/box';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import SideNavigation from '@cloudscape-design/components/side-navigation';
import Spinner from '@cloudscape-design/components/spinner';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { apiOf } from './api/client.ts';
import { useLoaded } from './api/use-loading.ts';
import { chooseColours, startingColours } from './colours.ts';
import { LoadFailure } from './components/load-failure.tsx';
import { RenderFailure } from './components/render-failure.tsx';
import { type About, type Dashboard, DashboardContext } from './context.ts';
import { ActivityPage } from './pages/activity.tsx';
import { ClientPage } from './pages/client.tsx';
import { ClientsPage } from './pages/clients.tsx';
import { LimitsPage } from './pages/limits.tsx';
import { MessagePage } from './pages/message.tsx';
import { MessagesPage } from './pages/messages.tsx';
import { OutboxPage } from './pages/outbox.tsx';
import { WebhookPage } from './pages/webhook.tsx';
import { go, type Location, linkTo, useLocation } from './route.ts';
import type { Session } from './session.ts';

interface SignedInProps {
  readonly session: Session;
  /** @param reason - undefined when the user signed out */
  readonly onEnd: (reason: string | undefined) => void;
}

// Loaded on demand: its charts are a quarter of the script.
const OverviewPage = lazy(() => import('./pages/overview.tsx'));

const expired = 'Your session has ended. Sign in again to go on.';

export default function SignedIn({ session, onEnd }: SignedInProps) {
  const api = useMemo(() => apiOf(session, () => onEnd(expired)), [session, onEnd]);
  const about = useLoaded<About>('about', () => api.get('/about'));
  const location = useLocation();
  const [notices, setNotices] = useState<readonly FlashbarProps.MessageDefinition[]>([]);
  const [colours, setColours] = useState(startingColours);

  useEffect(() => {
    const timer = setTimeout(() => onEnd(expired), session.endsAt - Date.now());
    return () => clearTimeout(timer);
  }, [session, onEnd]);

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

  const dashboard = useMemo<Dashboard | undefined>(
    () => (about.data === undefined ? undefined : { api, about: about.data, notify }),
    [api, about.data, notify],
  );

  const other = colours === 'dark' ? 'light' : 'dark';
  return (
    <>
      <div id="top">
        <TopNavigation
          identity={{ href: linkTo('activity'), title: 'Messaging gateway' }}
          utilities={[
            {
              type: 'button',
              text: other === 'dark' ? 'Dark' : 'Light',
              ariaLabel: `Use ${other} colours`,
              disableUtilityCollapse: true,
              onClick: () => {
                chooseColours(other);
                setColours(other);
              },
            },
            {
              type: 'menu-dropdown',
              text: about.data?.name ?? session.clientId,
              iconName: 'user-profile',
              ariaLabel: `${about.data?.name ?? session.clientId}, account`,
              items: [{ id: 'sign-out', text: 'Sign out' }],
              onItemClick: () => {
                // The next user starts at the first page.
                go(linkTo('activity'));
                onEnd(undefined);
              },
            },
          ]}
        />
      </div>
      <AppLayoutToolbar
        headerSelector="#top"
        toolsHide
        navigation={<Navigation location={location} outbox={about.data?.outbox === true} />}
        notifications={<Flashbar items={notices} />}
        content={
          dashboard === undefined ? (
            <Starting error={about.error} onRetry={about.reload} />
          ) : (
            <DashboardContext value={dashboard}>
              <RenderFailure key={location.page}>
                <Suspense fallback={<Waiting />}>{pageOf(location)}</Suspense>
              </RenderFailure>
            </DashboardContext>
          )
        }
      />
    </>
  );
}

function Starting({ error, onRetry }: { readonly error: string | undefined; readonly onRetry: () => void }) {
  if (error !== undefined) return <LoadFailure error={error} onRetry={onRetry} />;
  return <Waiting />;
}

function Waiting() {
  return (
    <Box textAlign="center" padding="xxl">
      <Spinner size="large" />
    </Box>
  );
}

function Navigation({ location, outbox }: { readonly location: Location; readonly outbox: boolean }) {
  const link = (text: string, page: string) => ({ type: 'link', text, href: linkTo(page) }) as const;
  const parent = { webhooks: 'activity' }[location.page] ?? location.page;
  return (
    <SideNavigation
      header={{ text: 'Administration', href: linkTo('activity') }}
      activeHref={linkTo(parent)}
      items={[
        link('Activity Logs', 'activity'),
        link('Overview', 'overview'),
        link('Messages', 'messages'),
        link('Clients', 'clients'),
        link('Limits', 'limits'),
        ...(outbox ? [link('Outbox', 'outbox')] : []),
      ]}
    />
  );
}

function pageOf({ page, id, query }: Location): ReactNode {
  switch (page) {
    case 'overview':
      return <OverviewPage />;
    case 'messages':
      return id === undefined ? (
        <MessagesPage key={query.toString()} query={query} />
      ) : (
        <MessagePage id={id} />
      );
    case 'clients':
      return id === undefined ? <ClientsPage /> : <ClientPage id={id} />;
    case 'limits':
      return <LimitsPage clientId={id} />;
    case 'outbox':
      return <OutboxPage key={query.toString()} query={query} />;
    case 'webhooks':
      return <WebhookPage id={id ?? ''} />;
    default:
      return <ActivityPage key={query.toString()} query={query} />;
  }
}
