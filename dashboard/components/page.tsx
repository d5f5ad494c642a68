/** The frame of a page, and its parts: sections, facts and totals. */

import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { type Mode, modeOf } from '../../shared/contract/mode.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { NavigatedContext, useDashboard } from '../dashboard-context.ts';
import { go, hereIn, useMode } from '../route.ts';
import { Refresh } from './loaded.tsx';

/** The target of the skip link. */
export const headingId = 'page-heading';

export const modeChangedText = (mode: Mode): string =>
  `This is ${mode} data: the dashboard shows ${mode} data now.`;

/** Shows a page. Sets the title of the browser's tab, and moves the focus to the heading on navigation. */
export function Page({
  title,
  description,
  query,
  clientId,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: ReactNode;
  /** The query that loads the subject of the page, if the page is about one thing. */
  readonly query?: UseQueryResult;
  /** The client whose data the page shows, if the page is about one client. The page is shown in that client's mode. */
  readonly clientId?: string | undefined;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
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

/** A part of a page, with a heading. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <Container
      header={
        <Header variant="h2" description={description} actions={actions}>
          {title}
        </Header>
      }
    >
      {children}
    </Container>
  );
}

/** Shows labels and values. Shows a dash for a missing value. */
export function Facts({ columns, facts }: { columns: number; facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <KeyValuePairs
      columns={columns}
      minColumnWidth={170}
      items={Object.entries(facts).map(([label, value]) => ({ label, value: value ?? '–' }))}
    />
  );
}

/** Shows large numbers, which can link to their lists. */
export function Totals({
  columns,
  totals,
}: {
  columns: number;
  totals: readonly Parameters<typeof Total>[0][];
}) {
  return (
    <Section title="Totals">
      <KeyValuePairs
        columns={columns}
        items={totals.map((total) => ({ label: total.label, value: <Total {...total} /> }))}
      />
    </Section>
  );
}

function Total({
  value,
  href,
  note,
}: {
  readonly label: string;
  readonly value: string;
  readonly href?: string;
  readonly note?: string | undefined;
}) {
  if (href !== undefined) {
    return (
      <Link href={href} fontSize="heading-xl">
        {value}
      </Link>
    );
  }
  return (
    <>
      <Box variant="span" fontSize="heading-xl" fontWeight="bold">
        {value}
      </Box>
      {note === undefined ? null : <Box color="text-body-secondary">{note}</Box>}
    </>
  );
}
