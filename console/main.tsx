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
  createRoot(place).render(
    <StrictMode>
      <Console connection={connection} />
    </StrictMode>,
  );
}
