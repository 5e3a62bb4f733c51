import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app.tsx';
import { connectToServer } from './platform/connection.ts';
import { connectInPage, readInPageSettings } from './platform/inPage.ts';
import './style.css';

const place = document.getElementById('console');
const settings = readInPageSettings();
const connection = settings === undefined ? connectToServer() : connectInPage(settings);
if (place !== null) {
  // For an error outside every boundary: React removes the whole page then.
  const onUncaughtError = (error: unknown): void => {
    place.textContent = `The console failed (${String(error)}). Reload the page.`;
  };
  createRoot(place, { onUncaughtError }).render(
    <StrictMode>
      <Console connection={connection} />
    </StrictMode>,
  );
}
