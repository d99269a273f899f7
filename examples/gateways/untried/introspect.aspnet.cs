// Leave out Authority: it expects an introspection endpoint in a discovery document of OpenID Connect, and nobody signs in
// here. Turn caching off, or keep it short.
builder.Services.AddAuthentication(OAuth2IntrospectionDefaults.AuthenticationScheme)
    .AddOAuth2Introspection(options =>
    {
        options.IntrospectionEndpoint = "https://user-groups.example.com/api/v1/introspect";
        options.ClientId = "dashboards";
        options.ClientSecret = builder.Configuration["API_TOKEN"];
        options.NameClaimType = "sub";
    });
