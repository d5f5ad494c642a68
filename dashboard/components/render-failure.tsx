/** The error boundary of pages and of their parts, which may be loaded on demand. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { type ReactNode, Suspense } from 'react';
import { ErrorBoundary, failureText, failureTitle } from '../error-boundary.tsx';
import { Waiting } from './loaded.tsx';
import { Page } from './page.tsx';

export function RenderFailure({
  children,
  isPart = false,
}: {
  readonly children: ReactNode;
  /** True if the boundary protects only a part of a page. */
  readonly isPart?: boolean;
}) {
  const alert = (
    <Alert type="error" action={<Button onClick={() => location.reload()}>Reload</Button>}>
      {failureText}
    </Alert>
  );
  return (
    <ErrorBoundary fallback={isPart ? alert : <Page title={failureTitle}>{alert}</Page>}>
      <Suspense fallback={<Waiting />}>{children}</Suspense>
    </ErrorBoundary>
  );
}
