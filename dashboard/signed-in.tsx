/** The frame of every page: the library's texts, the bar at the top, notifications, new secrets, and the end of the session. */
import '@cloudscape-design/global-styles/dark-mode-utils.css';
import './dashboard.css';
import AppLayoutToolbar from '@cloudscape-design/components/app-layout-toolbar';
import Button from '@cloudscape-design/components/button';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import { I18nProvider, type I18nProviderProps } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import Input from '@cloudscape-design/components/input';
import TopNavigation from '@cloudscape-design/components/top-navigation';
import { applyMode, Mode as ColourMode } from '@cloudscape-design/global-styles';
import { QueryClientProvider } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { Router, useLocation } from 'wouter';
import { type Mode, modes } from '../shared/contract/mode.ts';
import { apiOf } from './api/call-api.ts';
import { newQueryClient, useAbout } from './api/queries.ts';
import { submitted } from './components/form.tsx';
import { useIsNarrow, useMedia } from './components/media.ts';
import { headingId } from './components/page.tsx';
import { RenderFailure } from './components/render-failure.tsx';
import { Secrets } from './components/secrets.tsx';
import { withLocalTimes } from './components/text.tsx';
import { DashboardContext, NavigatedContext, type NewSecrets } from './dashboard-context.ts';
import { Navigation, Pages, pageOf } from './pages.tsx';
import { go, linkTo, useHashLocation, useMode } from './route.ts';
import type { Session } from './session.ts';
import { expired, useSessionEnd } from './session-end.ts';

export default function SignedIn({
  onEnd,
  ...around
}: {
  readonly session: Session;
  /** True if the session began before the dashboard was loaded, for example before a reload. */
  readonly isRestored: boolean;
  /** @param reason - shown on the sign-in page, unless the user signed out */
  readonly onEnd: (reason: string | undefined) => void;
}) {
  const { session } = around;
  const isDark = useMedia('(prefers-color-scheme: dark)');
  useLayoutEffect(() => applyMode(isDark ? ColourMode.Dark : ColourMode.Light), [isDark]);
  const [notices, setNotices] = useState<readonly FlashbarProps.MessageDefinition[]>([]);
  const [secrets, setSecrets] = useState<readonly NewSecrets[]>([]);
  const [ended, setEnded] = useState<Session>();
  const warning = useSessionEnd(session, setEnded);
  // New secrets stay until they are saved.
  const [created] = secrets;
  const isOver = ended === session && created === undefined;
  useEffect(() => {
    if (isOver) onEnd(expired);
  }, [isOver, onEnd]);

  const notify = useCallback((type: 'success' | 'warning' | 'error', text: string) => {
    const id = crypto.randomUUID();
    const dismiss = (): void => setNotices((shown) => shown.filter((notice) => notice.id !== id));
    setNotices((shown) => [
      ...shown.slice(-2),
      {
        id,
        type,
        content: withLocalTimes(text),
        dismissible: true,
        dismissLabel: 'Dismiss',
        onDismiss: dismiss,
      },
    ]);
    if (type === 'success') setTimeout(dismiss, 8000);
  }, []);

  const mode = useMode();
  // Each mode has a separate cache, so that responses of one mode are never shown in the other.
  const queryClients = useMemo(() => {
    const newClient = () => newQueryClient((message) => notify('error', message));
    return { live: newClient(), test: newClient() };
  }, [notify]);
  const dashboard = useMemo(
    () => ({
      api: apiOf(session, mode, setEnded),
      notify,
      showSecrets: (more: NewSecrets) => setSecrets((shown) => [...shown, more]),
    }),
    [session, mode, notify],
  );

  return (
    <I18nProvider locale="en" messages={[messages as unknown as I18nProviderProps.Messages]}>
      <QueryClientProvider client={queryClients[mode]}>
        <DashboardContext value={dashboard}>
          <Router hook={useHashLocation}>
            <Layout
              {...around}
              notices={[...(warning === undefined ? [] : [warning]), ...notices]}
              onSignOut={() => {
                // The next user starts at the first page.
                go(linkTo('overview', undefined, {}, 'live'));
                onEnd(undefined);
              }}
            />
            {created === undefined ? null : (
              <Secrets {...created} onDone={() => setSecrets((shown) => shown.slice(1))} />
            )}
          </Router>
        </DashboardContext>
      </QueryClientProvider>
    </I18nProvider>
  );
}

/**
 * Opens the navigation in a wide window, until the user opens or closes it. In a narrow window or at a zoom of 200 %, it
 * would hide much of the page.
 */
function useNavigation() {
  const isWide = useMedia('(min-width: 961px)');
  const [chosen, setChosen] = useState<{ readonly isWide: boolean; readonly isOpen: boolean }>();
  return {
    isOpen: chosen?.isWide === isWide ? chosen.isOpen : isWide,
    change: (isOpen: boolean) => setChosen({ isWide, isOpen }),
  };
}

const modeNames = { live: 'Live data', test: 'Test data' } as const satisfies Record<Mode, string>;

/** Returns the notice on every page with test data, so that nobody thinks that these messages were sent. */
function testNotice(path: string, onLeave: () => void): FlashbarProps.MessageDefinition {
  const isOfBoth = ['limits', 'senders'].includes(pageOf(path));
  return {
    id: 'test-data',
    type: 'info',
    header: 'Test data',
    content: isOfBoth
      ? 'These settings apply to live and test data alike.'
      : 'These are the data of test keys: no carrier was called.',
    action: <Button onClick={onLeave}>Show live data</Button>,
  };
}

function Layout({
  session,
  isRestored,
  notices,
  onSignOut,
}: {
  readonly session: Session;
  readonly isRestored: boolean;
  readonly notices: readonly FlashbarProps.MessageDefinition[];
  readonly onSignOut: () => void;
}) {
  const about = useAbout().data;
  const navigation = useNavigation();
  const [path] = useLocation();
  const [firstPath, setFirstPath] = useState(isRestored ? path : undefined);
  if (firstPath !== undefined && firstPath !== path) setFirstPath(undefined);
  const mode = useMode();
  // A narrow window folds the menu of the modes.
  const isNarrow = useIsNarrow();
  const showIn = (wanted: Mode): void => go(linkTo(pageOf(path), undefined, {}, wanted));
  const shown = mode === 'test' ? [testNotice(path, () => showIn('live')), ...notices] : notices;
  const account = about?.name ?? session.clientId;
  return (
    <NavigatedContext value={path !== firstPath}>
      <a
        className="skip-link"
        href={`#${headingId}`}
        onClick={(event) => {
          // The part of the URL after `#` is the page's route, so this link must not change it.
          event.preventDefault();
          document.getElementById(headingId)?.focus();
        }}
      >
        Skip to main content
      </a>
      <div id="top">
        <TopNavigation
          identity={{
            href: linkTo('overview'),
            title: isNarrow ? `Gateway: ${modeNames[mode]}` : 'Messaging gateway',
          }}
          search={<SearchBox />}
          i18nStrings={{ searchIconAriaLabel: 'Search', searchDismissIconAriaLabel: 'Close the search' }}
          utilities={[
            {
              type: 'menu-dropdown',
              text: modeNames[mode],
              ariaLabel: `${modeNames[mode]}, change`,
              items: modes.map((id) => ({ id, text: modeNames[id], disabled: id === mode })),
              onItemClick: ({ detail }) => showIn(detail.id === 'test' ? 'test' : 'live'),
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
        navigationOpen={navigation.isOpen}
        // The navigation has its own close button.
        navigationTriggerHide={navigation.isOpen}
        onNavigationChange={({ detail }) => navigation.change(detail.open)}
        navigation={<Navigation path={path} hasOutbox={about?.outbox === true} />}
        notifications={<Flashbar items={shown} />}
        content={
          <RenderFailure key={mode + path}>
            <Pages />
          </RenderFailure>
        }
      />
    </NavigatedContext>
  );
}

/** The search field of every page. It accepts a number, an id or a name. */
function SearchBox() {
  const [text, setText] = useState('');
  const search = submitted(() => {
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    go(linkTo('search', undefined, { q: wanted }));
  });
  return (
    <search>
      <form onSubmit={search}>
        <Input
          type="search"
          ariaLabel="Search"
          placeholder="Number, id or client"
          value={text}
          onChange={({ detail }) => setText(detail.value)}
        />
      </form>
    </search>
  );
}
