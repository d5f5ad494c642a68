/** The entry point: styles, colours, the library's texts, and the app. */
import '@cloudscape-design/global-styles/dark-mode-utils.css';
import './dashboard.css';
import { I18nProvider, type I18nProviderProps } from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <I18nProvider locale="en" messages={[messages as unknown as I18nProviderProps.Messages]}>
      <App />
    </I18nProvider>
  </StrictMode>,
);
