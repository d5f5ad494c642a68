/** The entry point. Shows the app, or a text and a button if its parts cannot be loaded. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ErrorBoundary, failureText, failureTitle } from './error-boundary.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary fallback={<NotLoaded />}>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);

function NotLoaded() {
  return (
    <main className="sign-in">
      <div className="card">
        <h1>{failureTitle}</h1>
        <p>{failureText}</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    </main>
  );
}
