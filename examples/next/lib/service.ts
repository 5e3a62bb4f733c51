// The build fails if a component of the page imports this file, so the token stays on the server.
import 'server-only';
import { createServiceClient, type ServiceClient } from 'countersign';

/**
 * A client for the service. None of these variables begins with NEXT_PUBLIC_, because Next would put it into the page.
 */
export function createService(): ServiceClient {
  const {
    SERVICE_URL = 'http://localhost:4010/2025-10-13',
    SERVICE_CLIENT_ID = 'sandbox',
    SERVICE_CLIENT_SECRET = 'sandbox',
  } = process.env;
  return createServiceClient({
    baseUrl: SERVICE_URL,
    credentials: { clientId: SERVICE_CLIENT_ID, clientSecret: SERVICE_CLIENT_SECRET },
  });
}
