import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './app.tsx';
import { connect } from './platform/connection.ts';
import './style.css';

const place = document.getElementById('console');
const connection = connect();
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <Console connection={connection} />
    </StrictMode>,
  );
}
