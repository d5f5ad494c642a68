/** Every page of the dashboard, its path and its place in the navigation. */
import SideNavigation from '@cloudscape-design/components/side-navigation';
import { type ComponentType, lazy } from 'react';
import { Route, Switch } from 'wouter';
import { ActivityPage } from './pages/activity.tsx';
import { ClientPage } from './pages/clients/client.tsx';
import { ClientsPage } from './pages/clients/clients.tsx';
import { LimitsPage } from './pages/limit-overrides.tsx';
import { MessagePage } from './pages/messages/message.tsx';
import { MessagesPage } from './pages/messages/messages.tsx';
import { OutboxPage } from './pages/outbox.tsx';
import { OverviewPage } from './pages/overview/overview.tsx';
import { SearchPage } from './pages/search.tsx';
import { SendersPage } from './pages/senders/senders.tsx';
import { WebhookPage } from './pages/webhooks/webhook.tsx';
import { WebhooksPage } from './pages/webhooks/webhooks.tsx';
import { idInPath, linkTo } from './route.ts';

// Loaded on demand, because its charts are a quarter of the script.
const UsagePage = lazy(() => import('./pages/usage.tsx'));

/** All pages, in the order of the navigation. */
const pages: readonly {
  /** The path in the address after `#`. */
  readonly path: string;
  /** The title in the navigation. A page without a title is reached from other pages. */
  readonly title?: string;
  /** Renders the page. `id` is the part of the path with this name. */
  readonly Content: ComponentType<{ readonly id: string }>;
  /** True if the page exists only with the simulated carrier. */
  readonly isOfSimulator?: boolean;
}[] = [
  { path: 'overview', title: 'Overview', Content: OverviewPage },
  { path: 'activity', title: 'Activity Logs', Content: ActivityPage },
  { path: 'activity/:id', Content: ActivityPage },
  { path: 'messages', title: 'Messages', Content: MessagesPage },
  { path: 'messages/:id', Content: MessagePage },
  { path: 'webhooks', title: 'Webhooks', Content: WebhooksPage },
  { path: 'webhooks/:id', Content: WebhookPage },
  { path: 'clients', title: 'Clients', Content: ClientsPage },
  { path: 'clients/:id', Content: ClientPage },
  { path: 'usage', title: 'Usage', Content: UsagePage },
  { path: 'limits', title: 'Limits', Content: LimitsPage },
  { path: 'limits/:id', Content: LimitsPage },
  { path: 'senders', title: 'Senders', Content: SendersPage },
  { path: 'outbox', title: 'Outbox', Content: OutboxPage, isOfSimulator: true },
  { path: 'search', Content: SearchPage },
];

/** Returns the page of the navigation to which a path belongs. */
export function pageOf(path: string): string {
  const [, page = ''] = path.split('/');
  return page === '' ? 'overview' : page;
}

export function Navigation({ path, hasOutbox }: { readonly path: string; readonly hasOutbox: boolean }) {
  const shown = pages.filter(({ isOfSimulator }) => hasOutbox || isOfSimulator !== true);
  return (
    <SideNavigation
      header={{ text: 'Administration', href: linkTo('overview') }}
      activeHref={linkTo(pageOf(path))}
      items={shown.flatMap(({ path: name, title }) =>
        title === undefined ? [] : [{ type: 'link', text: title, href: linkTo(name) }],
      )}
    />
  );
}

export function Pages() {
  return (
    <Switch>
      {pages.map(({ path, Content }) => (
        <Route<{ id?: string }> key={path} path={`/${path}`}>
          {({ id = '' }) => <Content id={idInPath(id)} />}
        </Route>
      ))}
      <Route component={OverviewPage} />
    </Switch>
  );
}
