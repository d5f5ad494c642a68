/** The frame of a page: its title, in the browser's tab too, and its heading, which gets the focus on navigation. */
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { type Mode, modeOf } from '../../shared/contract/mode.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { NavigatedContext, useDashboard } from '../context.ts';
import { go, hereIn, useMode } from '../route.ts';
import { Refresh } from './loaded.tsx';

interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Where the page is about one thing: what loads it. */
  readonly query?: UseQueryResult;
  /** Where the page is about data of one client: it is shown in the mode of that. */
  readonly clientId?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The target of the skip link. */
export const headingId = 'page-heading';

export const modeChangedText = (mode: Mode): string =>
  `This is ${mode} data: the dashboard shows ${mode} data now.`;

export function Page({ title, description, query, clientId, actions, children }: PageProps) {
  const heading = useRef<HTMLSpanElement>(null);
  const isNavigated = useContext(NavigatedContext);
  const mode = useMode();
  const { notify } = useDashboard();
  const wanted = clientId === undefined ? mode : modeOf(clientId);
  useEffect(() => {
    if (wanted === mode) return;
    go(hereIn(wanted), { replace: true });
    notify('warning', modeChangedText(wanted));
  }, [wanted, mode, notify]);
  useEffect(() => {
    if (isNavigated) heading.current?.focus();
  }, [isNavigated]);
  return (
    <ContentLayout
      header={
        <Header
          variant="h1"
          description={description}
          actions={
            <SpaceBetween direction="horizontal" size="xs" alignItems="center">
              {query === undefined ? null : <Refresh query={query} />}
              {actions}
            </SpaceBetween>
          }
        >
          <span id={headingId} className="heading" tabIndex={-1} ref={heading}>
            {inOneLine(title)}
          </span>
        </Header>
      }
    >
      <title>{`${inOneLine(title)} – Messaging gateway${mode === 'test' ? ' (test data)' : ''}`}</title>
      {children}
    </ContentLayout>
  );
}
