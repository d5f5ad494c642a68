/** Shows a fallback if its content cannot be rendered, for example because a deploy has deleted a chunk of the script. */
import { Component, type ReactNode } from 'react';

export const failureTitle = 'This page could not be shown';
export const failureText =
  'The gateway may have been updated since the dashboard was opened. Reload the dashboard to continue.';

export class ErrorBoundary extends Component<
  { readonly children: ReactNode; readonly fallback: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}
