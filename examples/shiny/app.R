library(shiny)

databases <- c('warehouse-acme' = 'acme.db', 'warehouse-globex' = 'globex.db')

# Fails without the header, and so shows nothing. R would read the text in the encoding of its locale.
viewer <- function(request, header) {
  value <- utils::URLdecode(request[[header]])
  Encoding(value) <- 'UTF-8'
  value
}

ui <- function(request) {
  fluidPage(
    h1(viewer(request, 'HTTP_X_USER_GROUP')),
    actionButton('again', 'Again'),
    tableOutput('rows')
  )
}

server <- function(input, output, session) {
  # Connects again when the gateway has ended the connection. TRUE does so on Shiny Server alone.
  session$allowReconnect('force')
  output$rows <- renderTable({
    input$again
    file <- databases[[viewer(session$request, 'HTTP_X_USER_GROUP_DATA_SOURCE')]]
    database <- DBI::dbConnect(RSQLite::SQLite(), file, flags = RSQLite::SQLITE_RO)
    on.exit(DBI::dbDisconnect(database))
    DBI::dbGetQuery(
      database,
      'SELECT region, product FROM sale WHERE region = ?',
      params = list(viewer(session$request, 'HTTP_X_REGION'))
    )
  })
}

shinyApp(ui, server)
