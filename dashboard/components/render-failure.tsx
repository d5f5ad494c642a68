/** The error boundary of pages and of their parts; for instance, a chunk of the script may be gone after a deploy. */
import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import { Component, type ReactNode } from 'react';
import { Page } from './page.tsx';

interface RenderFailureProps {
  readonly children: ReactNode;
  /** Whether it is only a part of a page. */
  readonly isPart?: boolean;
}

export class RenderFailure extends Component<RenderFailureProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    const alert = (
      <Alert type="error" action={<Button onClick={() => location.reload()}>Reload</Button>}>
        The gateway may have been updated since the dashboard was opened. Reload the dashboard to go on.
      </Alert>
    );
    if (this.props.isPart === true) return alert;
    return <Page title="This page could not be shown">{alert}</Page>;
  }
}
